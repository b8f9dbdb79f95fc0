// Users and their tokens, made with STF's own functions.  A token is named
// USER-token; three more are good for nothing: signed with a secret that the
// farm no longer has, expired, and of a user that is gone.
//
//	node seed.js LIB		LIB: STF's lib folder
'use strict'

const lib = process.argv[2]
const db = require(`${lib}/db/api`)
const jwt = require(`${lib}/util/jwtutil`)
const secret = process.env.SECRET

async function token (id, email, name, how = {}) {
	await db.saveUserAccessToken(email, {
		title: id,
		id,
		jwt: jwt.encode({
			payload: { email, name },
			secret: how.secret || secret,
			header: how.expired ? { exp: Date.now() - 1000 } : undefined
		})
	})
}

async function user (name, email) {
	await db.saveUserAfterLogin({ name, email, ip: '127.0.0.1' })
	await token(`${name}-token`, email, name)
}

async function main () {
	await user('admin', process.env.STF_ADMIN_EMAIL)
	await user('alice', 'alice@example.com')
	await user('bob', 'bob@example.com')
	await token('former-token', 'alice@example.com', 'alice',
		{ secret: 'the secret before' })
	await token('expired-token', 'alice@example.com', 'alice',
		{ expired: true })
	await token('gone-token', 'gone@example.com', 'gone')
	process.exit(0)
}

main().catch(e => {
	console.error(e)
	process.exit(1)
})
