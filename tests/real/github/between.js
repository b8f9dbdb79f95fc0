// node between.js FILE ASKED: a proxy on loopback that says its URL on stdout and
// passes every call to the URL that FILE names at that time.  What GraphQL is
// asked goes to the file ASKED, too, a line each.  A call with the
// header X-Damage: PATH has that member of the JSON answer replaced by a list,
// and with X-Status: N another status, to see whether who comes next notices.
'use strict';

const fs = require('fs');
const http = require('http');

const [file, asked] = process.argv.slice(2);

function damaged(body, path)
{
	const whole = JSON.parse(body);
	const names = path.split('.');
	const last = names.pop();
	let at = whole;

	for (const name of names)
		at = at[name];
	if (!(last in at))
		throw new Error(`the answer has no '${path}'`);
	at[last] = [];
	return Buffer.from(JSON.stringify(whole));
}

const server = http.createServer((request, reply) => {
	const url = new URL(fs.readFileSync(file, 'utf8').trim());
	const {'x-damage': path, 'x-status': status, ...headers} =
		request.headers;
	const options = {
		host: url.hostname,
		port: url.port,
		method: request.method,
		path: request.url,
		headers: {...headers, host: url.host},
	};
	const onward = http.request(options, answer => {
		const parts = [];

		answer.on('data', part => parts.push(part));
		answer.on('end', () => {
			let body = Buffer.concat(parts);

			if (path)
				body = damaged(body, path);
			reply.writeHead(Number(status) || answer.statusCode, {
				...answer.headers,
				'content-length': body.length,
			});
			reply.end(body);
		});
	});

	if (request.url === '/graphql')
		request.on('data', part => fs.appendFileSync(asked, part));
	onward.on('error', () => reply.destroy());
	request.pipe(onward);
});

server.listen(0, '127.0.0.1', () => {
	console.log(`http://127.0.0.1:${server.address().port}`);
});
