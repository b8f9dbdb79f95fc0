// node server.js FOLDER: s3rver on a port of the kernel's choice, with the
// bucket `artifacts`; says its URL on stdout.
'use strict';

const S3rver = require('s3rver');

const server = new S3rver({
	address: '127.0.0.1',
	port: 0,
	directory: process.argv[2],
	silent: true,
	configureBuckets: [{name: 'artifacts'}],
});

server.run().then(({port}) => console.log(`http://127.0.0.1:${port}`));
