// Preloaded into every process of STF: listens on 127.0.0.1 only, whatever
// address the program has in mind.  With PORT_FILE in the environment the port
// is one that the kernel chose, and is written there.
'use strict'

const fs = require('fs')
const net = require('net')

const listen = net.Server.prototype.listen

function tell () {
	const file = process.env.PORT_FILE

	if (!file) return
	fs.writeFileSync(file + '.new', `${this.address().port}\n`)
	fs.renameSync(file + '.new', file)
}

net.Server.prototype.listen = function (...args) {
	const first = args[0]
	const done = args.find(a => typeof a === 'function')
	const chosen = process.env.PORT_FILE ? { port: 0 } : {}
	let options

	if (first && typeof first === 'object' && 'port' in first) {
		options = { ...first, ...chosen, host: '127.0.0.1' }
	} else if (/^\d+$/.test(String(first))) {
		options = { port: Number(first), host: '127.0.0.1', ...chosen }
	} else {
		return listen.apply(this, args)
	}
	this.once('listening', tell)
	return done ? listen.call(this, options, done) : listen.call(this, options)
}
