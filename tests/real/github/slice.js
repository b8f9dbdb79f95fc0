// node slice.js DESCRIPTION PATHS OUT: GitHub's API description with the paths
// of the file PATHS only, and the components that they refer to.
'use strict';

const fs = require('fs');

const [description, wanted, out] = process.argv.slice(2);
const whole = JSON.parse(fs.readFileSync(description));
const slice = {
	openapi: whole.openapi,
	info: whole.info,
	servers: [{url: '/'}],
	paths: {},
	components: {},
};

// Also the components that components refer to.
function pull(node)
{
	if (Array.isArray(node)) {
		node.forEach(pull);
		return;
	}
	if (!node || typeof node !== 'object')
		return;
	delete node.examples;
	if (typeof node.$ref === 'string' &&
	    node.$ref.startsWith('#/components/')) {
		const [, , section, name] = node.$ref.split('/');

		slice.components[section] ||= {};
		if (!slice.components[section][name] && section !== 'examples') {
			const component = whole.components[section][name];

			slice.components[section][name] = component;
			pull(component);
		}
	}
	Object.values(node).forEach(pull);
}

// `nullable` without a type is no schema for prism's validator, which then
// silently takes everything: say the same in words that it knows.
function mend(node)
{
	if (Array.isArray(node))
		return node.map(mend);
	if (!node || typeof node !== 'object')
		return node;
	for (const key of Object.keys(node))
		node[key] = mend(node[key]);
	if (node.nullable !== true || node.type)
		return node;
	const {nullable, ...rest} = node;

	return {anyOf: [rest, {type: 'string', nullable, enum: ['']}]};
}

for (const line of fs.readFileSync(wanted, 'utf8').split('\n')) {
	if (!line || line.startsWith('#'))
		continue;
	if (!whole.paths[line])
		throw new Error(`the description has no '${line}'`);
	slice.paths[line] = whole.paths[line];
}
pull(slice.paths);
// GraphQL is no part of it and has a schema of its own: graphql.js.
slice.paths['/graphql'] = {post: {
	requestBody: {required: true, content: {'application/json': {schema: {
		type: 'object',
		required: ['query', 'variables'],
		properties: {
			query: {type: 'string'},
			variables: {type: 'object'},
		},
	}}}},
	responses: {200: {description: 'data, errors', content: {
		'application/json': {schema: {type: 'object'}},
	}}},
}};
fs.writeFileSync(out, JSON.stringify(mend(slice)));
