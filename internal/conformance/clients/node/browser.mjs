// A page of another site in Chromium. The page and its scenarios are served from a
// port of their own, so every request of it is one across origins.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

import { scenarios as playground } from './playground.mjs';
import { run, runInTurn, stepTimeout } from './scenarios.mjs';
import { scenarios as signIn, tabs } from './signin.mjs';
import { idle, readCapture, working } from './server.mjs';

// An import would first read all of Playwright for the names of its exports, for a third of a second.
const { chromium } = createRequire(import.meta.url)('playwright-core');

const types = { html: 'text/html', js: 'text/javascript', mjs: 'text/javascript', zip: 'application/zip' };

const files = {
  '/': () => '<!doctype html><title>A trainer of splats</title>',
  '/capture.zip': readCapture,
};

const site = createServer(async (request, response) => {
  try {
    const content = await (files[request.url] ?? (() => readFile(new URL(`.${request.url}`, import.meta.url))))();
    const type = request.url === '/' ? types.html : types[request.url.split('.').pop()];
    response.writeHead(200, { 'Content-Type': type ?? 'application/octet-stream' }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
  ],
});
const page = await browser.newPage();
page.setDefaultTimeout(stepTimeout);
page.on('console', (message) => console.error(message.text())); // shown when the script fails
await page.goto(`http://127.0.0.1:${site.address().port}/`);

// inPage makes scenarios of the page's functions.
async function inPage(group) {
  const names = await page.evaluate(async (group) => Object.keys((await import('/page.mjs'))[group]), group);
  return Object.fromEntries(names.map((name) => [name, () => page.evaluate(
    async ({ group, name, servers }) => (await import('/page.mjs'))[group][name](servers),
    { group, name, servers: { working, idle } },
  )]));
}

await Promise.all([run({ ...await inPage('scenarios'), ...signIn(browser), ...playground(browser) }), ...tabs(browser).map(runInTurn)]);
await run(await inPage('last'));
await browser.close();
process.exit();
