// Loaded before prism.  Redirects go to the client, as from GitHub, instead of
// being followed; and a schema that can't be compiled, with which prism would
// take everything, is told.
'use strict';

const fetch = require('node-fetch');

fetch.default = (url, options) => fetch(url, {...options, redirect: 'manual'});

for (const name of ['ajv', 'ajv/dist/2019', 'ajv/dist/2020']) {
	const {prototype} = require(name).default;
	const compile = prototype.compile;

	prototype.compile = function (schema, ...rest) {
		try {
			return compile.call(this, schema, ...rest);
		} catch (e) {
			console.error(`schema not compiled: ${e.message}`);
			throw e;
		}
	};
}
