// A whole STF on 127.0.0.1, with simulated phones behind a genuine adb server:
//
//	node up.js APP DIR [HOST:PORT]...
//
// APP is the folder with node_modules; each HOST:PORT is the adb endpoint of a
// phone, which is also its serial in STF.  When all of them are ready DIR/env
// has the addresses as shell assignments, and "ready in N s" is printed.  It
// runs until SIGTERM, or until the process that started it is gone.
//
// DIR is the folder of all units: their logs (NAME.log), their pids (NAME.pid)
// and their ZeroMQ sockets, which are files here.  HTTP and database ports are
// the kernel's choice; the bridge's come as a range, guarded below.
'use strict'

const { spawn, spawnSync } = require('child_process')
const fs = require('fs')
const net = require('net')
const path = require('path')

const [app, dir, ...phones] = process.argv.slice(2)
const started = process.hrtime.bigint()
const parent = process.ppid
const children = new Map()
let ending = false

const PORTS = 64 // of the bridge: four for each start of a device worker
const START_MS = 280000
const nowhere = 'http://127.0.0.1:1/' // units that are not there

const units = path.join(app, 'node_modules/@devicefarmer/stf')
const preload = ['loopback.js', 'worker.js']
	.map(f => `--require ${JSON.stringify(path.join(__dirname, f))}`)
const env = {
	PATH: process.env.PATH,
	HOME: path.join(dir, 'home'),
	TMPDIR: dir,
	NODE_OPTIONS: preload.join(' '),
	ALLOW_OUTDATED_DEPENDENCIES: '1',
	STF_APP: app,
	STF_ADMIN_EMAIL: 'admin@example.com',
	STF_ADMIN_NAME: 'administrator',
	STF_ROOT_GROUP_NAME: 'Common',
	SECRET: 'the secret of this farm'
}

function fatal (why) {
	console.error(`up.js: ${why}`)
	end(1)
}

function end (status) {
	if (ending) return
	ending = true
	// The provider ends its workers; a stopped process hears nothing.
	for (const c of children.values()) {
		c.kill('SIGCONT')
		c.kill('SIGTERM')
	}
	setTimeout(() => {
		for (const c of children.values()) c.kill('SIGKILL')
		process.exit(status)
	}, 3000).unref()
	wait(() => children.size === 0, 'end').finally(() => process.exit(status))
}

async function wait (condition, what) {
	const until = Date.now() + START_MS

	while (!await condition()) {
		if (Date.now() > until) throw new Error(`${what}: never came`)
		await new Promise(resolve => setTimeout(resolve, 25))
	}
}

function start (name, program, args, more = {}) {
	const log = fs.openSync(path.join(dir, `${name}.log`), 'w')
	const child = spawn(program, args, {
		cwd: dir,
		env: { ...env, ...more.env },
		stdio: ['ignore', log, log, ...(more.fds || [])]
	})

	fs.closeSync(log)
	fs.writeFileSync(path.join(dir, `${name}.pid`), `${child.pid}\n`)
	children.set(name, child)
	child.on('error', e => fatal(`${name}: ${e.message}`))
	child.on('exit', () => children.delete(name))
	return child
}

const unit = (name, kind, ...args) =>
	start(name, process.execPath, [path.join(units, 'bin/stf'), kind, ...args])

// A unit with one port, which loopback.js has chosen and written down.
async function server (name, args) {
	const file = path.join(dir, `${name}.port`)
	const child = start(name, process.execPath, args,
		{ env: { PORT_FILE: file } })

	await wait(() => {
		if (child.exitCode !== null) throw new Error(`${name} ended`)
		return fs.existsSync(file)
	}, name)
	return Number(fs.readFileSync(file, 'utf8'))
}

// In this farm's own process, so that STF sees the same environment.
function once (name, args) {
	return new Promise((resolve, reject) => {
		start(name, process.execPath, args).on('exit', code =>
			code === 0 ? resolve() : reject(new Error(`${name} failed`)))
	})
}

function listen (port) {
	return new Promise((resolve, reject) => {
		const s = net.createServer()

		s.once('error', reject)
		s.listen(port, '127.0.0.1', () => resolve(s))
	})
}

// The range's first port is kept open by us, and the others lie below what the
// kernel gives out: no other farm of this kind, and no program that lets the
// kernel choose, gets one of them.
async function range () {
	const [low] = fs.readFileSync(
		'/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)
	const blocks = Math.floor((Number(low) - 10000) / PORTS)

	for (let i = 0; i < 50; i++) {
		const first = 10000 + PORTS * Math.floor(Math.random() * blocks)

		try {
			await listen(first)
			return first + 1
		} catch (e) {
			if (e.code !== 'EADDRINUSE') throw e
		}
	}
	throw new Error('no free range of ports')
}

// The genuine adb server takes its listening socket from us.
async function adb () {
	const s = await listen(0)
	const port = s.address().port

	start('adb', 'adb', ['-L', 'acceptfd:3', 'server', 'nodaemon'], {
		env: {
			NODE_OPTIONS: '',
			ADB_EMU: '0',
			ADB_USB: '0',
			ADB_LOCAL_TRANSPORT_MAX_PORT: '5553',
			ADB_MDNS_AUTO_CONNECT: '0'
		},
		fds: [s._handle]
	})
	s.close() // else we would take every other connection
	for (const p of phones) {
		spawnSync('adb', ['-P', String(port), 'connect', p], { env })
	}
	return port
}

async function ready (api) {
	const r = await fetch(`${api}/api/v1/devices?fields=serial,ready,present`,
		{ headers: { authorization: 'Bearer admin-token' } })
	const list = r.ok ? (await r.json()).devices : []

	return phones.every(p =>
		list.some(d => d.serial === p && d.ready && d.present))
}

async function main () {
	fs.mkdirSync(env.HOME, { recursive: true })
	const first = await range()
	const db = await server('db', [path.join(__dirname, 'db.js'), app])

	env.RETHINKDB_PORT_28015_TCP = `tcp://127.0.0.1:${db}`
	const at = name => `ipc://${name}.sock`
	const proxy = side => unit(`triproxy-${side}`, 'triproxy', side,
		'--bind-pub', at(`${side}-pub`),
		'--bind-dealer', at(`${side}-dealer`),
		'--bind-pull', at(`${side}-pull`))
	const toApp = ['--connect-push', at('app-pull'), '--connect-sub', at('app-pub')]
	const toDev = ['--connect-push-dev', at('dev-pull'),
		'--connect-sub-dev', at('dev-pub')]

	proxy('app')
	proxy('dev')
	const adbPort = adb()

	await once('migrate', [path.join(units, 'bin/stf'), 'migrate'])
	unit('processor', 'processor', 'processor',
		'--connect-app-dealer', at('app-dealer'),
		'--connect-dev-dealer', at('dev-dealer'))
	unit('reaper', 'reaper', 'reaper',
		'--connect-push', at('dev-pull'), '--connect-sub', at('app-pub'),
		'--heartbeat-timeout', String(START_MS))
	unit('groups-engine', 'groups-engine', ...toApp, ...toDev)
	unit('provider', 'provider', '--name', 'provider',
		'--min-port', String(first), '--max-port', String(first + PORTS - 2),
		'--connect-sub', at('dev-pub'), '--connect-push', at('dev-pull'),
		'--public-ip', '127.0.0.1', '--storage-url', nowhere,
		'--adb-host', '127.0.0.1', '--adb-port', String(await adbPort),
		'--allow-remote', '--no-cleanup', '--no-screen-reset',
		'--mute-master', 'never')
	const seeded = once('seed',
		[path.join(__dirname, 'seed.js'), path.join(units, 'lib')])
	const api = await server('api', [path.join(units, 'bin/stf'), 'api',
		'--port', '0', '--secret', env.SECRET, ...toApp, ...toDev])
	const url = `http://127.0.0.1:${api}`

	// The front proxy; of the units behind it there is only the API.
	const front = server('poorxy', [path.join(units, 'bin/stf'), 'poorxy',
		'--port', '0', '--api-url', `${url}/`,
		...['app', 'auth', 'websocket', 'storage', 'storage-plugin-image',
			'storage-plugin-apk'].flatMap(n => [`--${n}-url`, nowhere])])

	await seeded
	await wait(() => ready(url), 'a phone')

	const file = path.join(dir, 'env')

	fs.writeFileSync(`${file}.new`, `STF_API=${url}\n` +
		`STF_FRONT=http://127.0.0.1:${await front}\n` +
		`STF_ADB=${await adbPort}\n`)
	fs.renameSync(`${file}.new`, file)
	console.log('ready in %s s',
		(Number(process.hrtime.bigint() - started) / 1e9).toFixed(1))
}

process.on('SIGTERM', () => end(0))
process.on('SIGINT', () => end(0))
setInterval(() => process.ppid === parent || end(0), 500)
main().catch(e => fatal(e.cause ? `${e.message}: ${e.cause.message}` : e.message))
