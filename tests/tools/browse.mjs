// Opens pages in headless Chromium and prints what it found, as JSON.
//
//	node browse.mjs '[{"url": "file:///p.html", "width": 360, "dark": true,
//		"focus": ".area", "keys": ["ArrowLeft"], "walk": 20,
//		"eval": "document.title", "shot": "p.png"}]'
//
// Each step is a fresh page; the answer is a list of {"errors": [what the
// console and the page complained of], "overflow": does the page scroll
// sideways, "walked": what so many Tabs reached, "value": of eval}.  "script":
// false is a page whose scripts do not run.
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const steps = JSON.parse(process.argv[2]);
const home = mkdtempSync(join(tmpdir(), "browse-"));
const browser = spawn(process.env.CHROMIUM || "chromium", [
	"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
	"--disable-background-networking", "--disable-component-update",
	"--disable-dev-shm-usage", "--no-first-run",
	"--remote-debugging-pipe", `--user-data-dir=${home}`, "about:blank",
], {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});

// The protocol: JSON ended by NUL, on the descriptors 3 and 4.
let next = 1, rest = "";
const waiting = new Map(), listeners = new Set();
browser.stdio[4].setEncoding("utf8");
browser.stdio[4].on("data", (data) => {
	const parts = (rest + data).split("\0");
	rest = parts.pop();
	for (const part of parts) {
		const m = JSON.parse(part);
		const w = waiting.get(m.id);
		waiting.delete(m.id);
		if (w)
			m.error ? w.no(new Error(m.error.message)) : w.yes(m.result);
		else
			listeners.forEach((f) => f(m));
	}
});
browser.on("error", (e) => {
	console.error(`browse: ${e.message}`);
	process.exit(2);
});
browser.on("exit", () => waiting.forEach((w) => w.no(new Error("it ended"))));

function send(method, params = {}, sessionId = undefined) {
	return new Promise((yes, no) => {
		const id = next++;
		waiting.set(id, {yes, no});
		browser.stdio[3].write(
			JSON.stringify({id, method, params, sessionId}) + "\0");
	});
}

function once(sessionId, method) {
	return new Promise((yes) => {
		listeners.add(function f(m) {
			if (m.sessionId !== sessionId || m.method !== method)
				return;
			listeners.delete(f);
			yes(m.params);
		});
	});
}

// What has the focus, and whether one can see that it has.
const FOCUSED = `(() => {
	const e = document.activeElement, c = getComputedStyle(e);
	return {tag: e.tagName.toLowerCase(), cls: e.className,
		seen: c.outlineStyle !== "none" && c.outlineWidth !== "0px"};
})()`;

async function take(step) {
	const {targetId} = await send("Target.createTarget", {url: "about:blank"});
	const {sessionId: s} = await send("Target.attachToTarget",
		{targetId, flatten: true});
	const errors = [];
	const note = (m) => {
		if (m.sessionId !== s)
			return;
		if (m.method === "Runtime.exceptionThrown")
			errors.push(m.params.exceptionDetails.text);
		if (m.method === "Log.entryAdded")
			errors.push(m.params.entry.text);
		if (m.method === "Runtime.consoleAPICalled")
			errors.push(`console.${m.params.type}`);
		if (m.method === "Network.requestWillBeSent" &&
		    !/^(file|data):/.test(m.params.request.url))
			errors.push(`asked for ${m.params.request.url}`);
	};
	listeners.add(note);
	for (const domain of ["Page", "Runtime", "Log", "Network"])
		await send(`${domain}.enable`, {}, s);
	const width = step.width || 1200;
	await send("Emulation.setDeviceMetricsOverride", {width, height: 900,
		deviceScaleFactor: 1, mobile: false}, s);
	await send("Emulation.setEmulatedMedia", {features: [
		{name: "prefers-color-scheme", value: step.dark ? "dark" : "light"},
		{name: "prefers-reduced-motion", value: "reduce"}]}, s);
	if (step.script === false)
		await send("Emulation.setScriptExecutionDisabled", {value: true}, s);
	const loaded = once(s, "Page.loadEventFired");
	await send("Page.navigate", {url: step.url}, s);
	await loaded;
	const press = async (key) => {
		for (const type of ["keyDown", "keyUp"])
			await send("Input.dispatchKeyEvent",
				{type, key, code: key, windowsVirtualKeyCode:
					{Tab: 9, Enter: 13, End: 35, Home: 36,
					 ArrowLeft: 37, ArrowRight: 39}[key]}, s);
	};
	const ask = async (expression) => {
		const r = await send("Runtime.evaluate",
			{expression, returnByValue: true}, s);
		if (r.exceptionDetails)
			throw new Error(`${expression}: ${r.exceptionDetails.text}`);
		return r.result.value;
	};
	const found = {errors};
	if (step.script === false)
		await send("Emulation.setScriptExecutionDisabled",
			{value: false}, s);
	if (step.focus)
		await ask(`document.querySelector("${step.focus}").focus()`);
	for (const key of step.keys || [])
		await press(key);
	if (step.walk)
		found.walked = [];
	for (let i = 0; i < (step.walk || 0); i++) {
		await press("Tab");
		found.walked.push(await ask(FOCUSED));
	}
	if (step.eval)
		found.value = await ask(step.eval);
	found.overflow = await ask("document.documentElement.scrollWidth > " +
		"document.documentElement.clientWidth");
	if (step.shot) {
		const height = step.height || Math.min(12000, await ask(
			"document.documentElement.scrollHeight"));
		const {data} = await send("Page.captureScreenshot",
			{captureBeyondViewport: true, clip: {x: 0, y: step.y || 0,
				width, height, scale: 1}}, s);
		writeFileSync(step.shot, Buffer.from(data, "base64"));
	}
	listeners.delete(note);
	await send("Target.closeTarget", {targetId});
	return found;
}

let status = 0;
try {
	const all = [];
	for (const step of steps)
		all.push(await take(step));
	console.log(JSON.stringify(all));
} catch (e) {
	console.error(`browse: ${e.message}`);
	status = 1;
}
browser.removeAllListeners("exit");
await Promise.all([
	new Promise((yes) => browser.on("exit", yes)),
	send("Browser.close").catch(() => {}),
].map((p) => p.catch ? p.catch(() => {}) : p));
rmSync(home, {recursive: true, force: true, maxRetries: 5});
process.exit(status);
