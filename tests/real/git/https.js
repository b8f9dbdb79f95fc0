// node https.js FOLDER CERT KEY TOKEN: the genuine git http-backend for the
// repositories of FOLDER, over https on loopback; says its URL on stdout and
// each request on stderr.  Only x-access-token with TOKEN is let in.
'use strict';

const fs = require('fs');
const https = require('https');
const {execFileSync, spawn} = require('child_process');

const [folder, cert, key, token] = process.argv.slice(2);
const backend = execFileSync('git', ['--exec-path']).toString().trim() +
	'/git-http-backend';
const welcome = 'Basic ' +
	Buffer.from(`x-access-token:${token}`).toString('base64');

function serve(request, reply)
{
	const url = new URL(request.url, 'https://127.0.0.1');
	const auth = request.headers.authorization;
	let head = Buffer.alloc(0), body = false;

	console.error(`${request.method} ${url.pathname}${auth ? ' +auth' : ''}`);
	if (url.pathname.startsWith('/moved/')) {
		reply.writeHead(301, {location: url.href.replace('/moved', '')});
		reply.end();
		return;
	}
	if (auth !== welcome) {
		reply.writeHead(401, {'www-authenticate': 'Basic'});
		reply.end();
		return;
	}
	const cgi = spawn(backend, {
		stdio: ['pipe', 'pipe', 'ignore'],
		env: {
			PATH: process.env.PATH,
			GIT_CONFIG_GLOBAL: '/dev/null',
			GIT_PROJECT_ROOT: folder,
			GIT_HTTP_EXPORT_ALL: '1',
			REMOTE_USER: 'patrol',
			REQUEST_METHOD: request.method,
			PATH_INFO: url.pathname,
			QUERY_STRING: url.search.slice(1),
			CONTENT_TYPE: request.headers['content-type'] || '',
			CONTENT_LENGTH: request.headers['content-length'] || '',
		},
	});

	request.pipe(cgi.stdin);
	cgi.stdin.on('error', () => {});
	cgi.stdout.on('data', part => {
		if (body) {
			reply.write(part);
			return;
		}
		head = Buffer.concat([head, part]);
		const end = head.indexOf('\r\n\r\n');

		if (end < 0)
			return;
		let status = 200;
		const headers = {};

		for (const line of head.subarray(0, end).toString().split('\r\n')) {
			const [name, value] = line.split(/: */, 2);

			if (name.toLowerCase() === 'status')
				status = parseInt(value, 10);
			else
				headers[name] = value;
		}
		reply.writeHead(status, headers);
		reply.write(head.subarray(end + 4));
		body = true;
	});
	cgi.stdout.on('end', () => reply.end());
}

const server = https.createServer({
	cert: fs.readFileSync(cert),
	key: fs.readFileSync(key),
}, serve);

server.listen(0, '127.0.0.1', () => {
	console.log(`https://127.0.0.1:${server.address().port}`);
});
