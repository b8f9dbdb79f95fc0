// node graphql.js SCHEMA ASKED: every request of the file ASKED, JSON a line, is
// one that GitHub's GraphQL takes by its public schema, with all its variables.
'use strict';

const fs = require('fs');
const graphql = require('graphql');

const [schemaFile, asked] = process.argv.slice(2);
const schema = graphql.buildSchema(fs.readFileSync(schemaFile, 'utf8'), {
	assumeValidSDL: true,
});
let bad = 0;

function complain(problem)
{
	console.log(problem.message || problem);
	bad = 1;
}

for (const line of fs.readFileSync(asked, 'utf8').split(/(?<=})(?={)/)) {
	const {query, variables} = JSON.parse(line);
	const document = graphql.parse(query);

	graphql.validate(schema, document).forEach(complain);
	for (const operation of document.definitions) {
		const {errors} = graphql.getVariableValues(schema,
			operation.variableDefinitions, variables);

		(errors || []).forEach(complain);
	}
}
process.exit(bad);
