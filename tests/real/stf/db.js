// STF's database: npm's reqlite, an in-memory server of RethinkDB's protocol,
// spoken to by STF's own driver.  Three gaps that STF falls into are closed.
//
//	node db.js APP		APP: the folder with node_modules
'use strict'

const base = `${process.argv[2]}/node_modules/reqlite`
const Query = require(`${base}/lib/query.js`)
const Sequence = require(`${base}/lib/sequence.js`)
const errors = require(`${base}/lib/error.js`)
const protocol = require(`${base}/lib/protodef.js`)
const util = require(`${base}/lib/utils.js`)
const Server = require(base)

const PLUCK = protocol.Term.TermType.PLUCK

// 1. table.pluck(FIELD...).changes(): the groups engine watches with it.
const changes = Query.prototype.changes

function plucked (events, fields) {
	const out = new Sequence()
	const pick = v => (v === null || v === undefined)
		? null
		: util.pluck(v, fields)

	for (let i = 0; i < events.length; i++) {
		const e = events.get(i)
		const before = pick(e.old_val)
		const after = pick(e.new_val)

		if (JSON.stringify(util.toDatum(before)) !==
			JSON.stringify(util.toDatum(after))) {
			out.push({ old_val: before, new_val: after })
		}
	}
	return Promise.resolve(out)
}

Query.prototype.changes = async function (args, options, internal) {
	const [term] = args

	if (!Array.isArray(term) || term[0] !== PLUCK) {
		return changes.call(this, args, options, internal)
	}
	const [table, ...keys] = term[1]
	const fields = new Sequence(
		await Promise.all(keys.map(k => this.evaluate(k, internal))))
	const feed = await changes.call(this, [table], options, internal)

	feed.postMethods.push(events => plucked(events, fields))
	return feed
}

// 2. An update of one document is atomic in RethinkDB; here one query runs
// after the other.
const run = Query.prototype.run
let last = Promise.resolve()

Query.prototype.run = function (...args) {
	const result = last.then(() => run.apply(this, args))

	last = result.then(() => {}, () => {})
	return result
}

// 3. null('field') is an absent value, which a filter skips.
const cannotPerformOp = util.cannotPerformOp

util.cannotPerformOp = function (operation, value, query) {
	if (value === null && /^(bracket|get_field)$/.test(operation)) {
		throw new errors.ReqlRuntimeError(
			'No attribute in object: Cannot perform ' + operation +
			' on a non-object non-sequence `null`', query.frames)
	}
	return cannotPerformOp.apply(this, arguments)
}

process.on('uncaughtException', e => console.error(e.stack))
process.on('unhandledRejection', e => console.error(e && e.stack))
// eslint-disable-next-line no-new
new Server({ 'driver-port': 0, silent: true })
