#!/bin/sh
# Results against the published schema: schema.sh [FILE|DIR]...
#
# Needs node and ajv (npm install ajv@8 ajv-formats@3 in the folder AJV_DIR);
# without them this is skipped.
set -eu
cd "$(dirname "$0")/../.."

skip()
{
	echo "skip - results fit the schema: $1"
	exit 0
}

command -v node >/dev/null || skip "no node"
dir=${AJV_DIR:-$PWD}
[ -d "$dir/node_modules/ajv-formats" ] || skip "no ajv in $dir"
[ $# -gt 0 ] || set -- tests/data/results
NODE_PATH=$dir/node_modules node - docs/schema/result.schema.json "$@" <<'JS'
const fs = require('fs'), path = require('path');
const Ajv = require('ajv/dist/2020').default;
const formats = require('ajv-formats').default;
const [schema, ...places] = process.argv.slice(2);
const ajv = new Ajv({allErrors: true, strictTypes: false});
formats(ajv);
const valid = ajv.compile(JSON.parse(fs.readFileSync(schema)));
const files = places.flatMap(p => !fs.statSync(p).isDirectory() ? [p]
	: fs.readdirSync(p).filter(f => f.endsWith('.json'))
		.map(f => path.join(p, f)));
let bad = 0;
for (const file of files) {
	const ok = valid(JSON.parse(fs.readFileSync(file)));
	bad += !ok;
	console.log(`${ok ? 'ok' : 'not ok'} - ${file} fits the schema`);
	for (const e of ok ? [] : valid.errors.slice(0, 10))
		console.log(`# ${e.instancePath} ${e.message}`);
}
process.exit(bad ? 1 : 0);
JS
