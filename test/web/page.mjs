// node page.mjs FILE...: every report page as a browser shows it, in light and dark and in three widths.
// Prints TAP. A page must have no violation that axe-core finds, ask for nothing over the network, need no
// script, and not be wider than its window.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { basename, resolve } from 'node:path';
import puppeteer from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const widths = [1280, 800, 375];
const schemes = ['light', 'dark'];
const files = process.argv.slice(2);
let number = 0;

function tell(ok, name, details) {
	number++;
	console.log(`${ok ? 'ok' : 'not ok'} ${number} ${name}`);
	for (const line of details)
		console.log(`# ${line}`);
}

async function look(browser, file, scheme, width) {
	const page = await browser.newPage();
	const asked = [];
	const problems = [];

	page.on('request', (r) => asked.push(r.url()));
	await page.setViewport({ width, height: 900 });
	await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
	await page.goto(pathToFileURL(resolve(file)).href);
	if (asked.length !== 1)
		problems.push(`it asks for ${asked.slice(1).join(', ')}`);
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
	if (wide > 0)
		problems.push(`it is ${wide} px wider than its window`);
	if (await page.evaluate(() => document.scripts.length) !== 0)
		problems.push('it has a script');
	await page.evaluate(axe);
	const result = await page.evaluate(() => axe.run());
	for (const v of result.violations)
		problems.push(`${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(' ')}`);
	tell(problems.length === 0, `${basename(file)}, ${scheme}, ${width} px`, problems);
	await page.close();
}

console.log(`1..${files.length * widths.length * schemes.length}`);
const browser = await puppeteer.launch({
	executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
	args: ['--no-sandbox', '--disable-gpu'], // root has no sandbox, and the page is our own
});
try {
	for (const file of files)
		for (const scheme of schemes)
			for (const width of widths)
				await look(browser, file, scheme, width);
} finally {
	await browser.close();
}
