// Preloaded into every process of STF, and of use in the device workers: a
// worker loads what reserving and connecting need, as STF wrote it.  Screens,
// input and the like want helpers on the phone that a simulated one does not
// run; three plugins that others depend on are replaced by their shape.
//
// STF's own: group (reservations and their timeout), connect (the adb bridge
// and its keys), solo, heartbeat, router, push, sub, channels, identity, adb,
// properties, data, logger.
'use strict'

const Module = require('module')
const path = require('path')

const app = process.env.STF_APP
const units = path.join(app, 'node_modules/@devicefarmer/stf/lib/units')
const root = path.join(units, 'device') + path.sep
const syrup = () =>
	require(path.join(app, 'node_modules/@devicefarmer/stf-syrup')).serial()

function service () {
	const EventEmitter = require('events')
	const names = ['wake', 'acquireWakeLock', 'releaseWakeLock', 'pressKey',
		'thawRotation', 'freezeRotation']

	return syrup().define(() => {
		const s = new EventEmitter()

		for (const name of names) s[name] = () => Promise.resolve(true)
		return s
	})
}

function display () {
	return syrup()
		.dependency(require(root + 'plugins/screen/options'))
		.define((options, screen) => ({
			id: 0,
			properties: {
				id: 0,
				width: 1080,
				height: 2400,
				rotation: 0,
				xdpi: 411,
				ydpi: 411,
				fps: 60,
				density: 2.6,
				secure: true,
				url: screen.publicUrl,
				size: 6.4
			}
		}))
}

function phone () {
	return syrup().define(() => ({
		imei: null,
		imsi: null,
		phoneNumber: null,
		iccid: null,
		network: 'UNKNOWN'
	}))
}

function index () {
	const lib = path.join(units, '..')
	const logger = require(path.join(lib, 'util/logger'))
	const lifecycle = require(path.join(lib, 'util/lifecycle'))
	const plugins = () => syrup()
		.dependency(require(root + 'plugins/heartbeat'))
		.dependency(require(root + 'plugins/solo'))
		.dependency(require(root + 'plugins/group'))
		.dependency(require(root + 'plugins/connect'))
		.define((options, heartbeat, solo) => {
			if (process.send) process.send('ready')
			return solo.poke()
		})

	return options => {
		logger.setGlobalIdentifier(options.serial)
		const log = logger.createLogger('device')

		return syrup()
			.dependency(require(root + 'plugins/logger'))
			.define(o => plugins().consume(o))
			.consume(options)
			.catch(e => {
				log.fatal('Setup had an error', e.stack)
				lifecycle.fatal()
			})
	}
}

const ours = {
	'plugins/service.js': service,
	'plugins/util/display.js': display,
	'plugins/util/phone.js': phone,
	'index.js': index
}

if (process.argv.includes('device') && process.argv.includes('--serial')) {
	const load = Module._load
	const made = {}

	Module._load = function (request, parent, isMain) {
		let file = ''

		try {
			file = Module._resolveFilename(request, parent, isMain)
		} catch (e) {
			// load() says what is missing
		}
		const name = file.startsWith(root) ? file.slice(root.length) : ''

		if (!Object.hasOwn(ours, name)) {
			return load.call(this, request, parent, isMain)
		}
		made[name] = made[name] || ours[name]()
		return made[name]
	}
}
