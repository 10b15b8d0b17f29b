// Walks an application through the scenario in Chromium: node walk.mjs NAME. It prints a
// line of JSON for each step, and stops after one that fails.

import { createRequire } from 'node:module';

import { TCPProxy } from './proxy.mjs';
import { steps } from './scenario.mjs';
import { serveSite } from './site.mjs';

// An import would first read all of Playwright for the names of its exports, for a third of a second.
const { chromium } = createRequire(import.meta.url)('playwright-core');

// timeout limits every wait, for a machine that is busy with other tests.
const timeout = 180_000;

const [name] = process.argv.slice(2);
const server = process.env.PORTICO_URL;
const proxy = await TCPProxy.open(server);
const site = await serveSite(name, { issuer: server, graphql: `${proxy.url}/graphql` });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
  ],
});
const context = await browser.newContext();
context.setDefaultTimeout(timeout);

// complaints are the warnings and errors of the pages. Chromium itself logs each failed
// request as an error: expected matches the ones that a step causes.
const complaints = [];
const world = { server, site, proxy, context, capture: process.env.PORTICO_CAPTURE, expected: null };
context.on('console', (message) => {
  const text = message.text();
  if (['warning', 'error'].includes(message.type()) && !world.expected?.test(text)) complaints.push(text);
});
context.on('weberror', (error) => complaints.push(error.error().stack));

for (const [step, walk] of Object.entries(steps)) {
  const start = performance.now();
  let error = '';
  try {
    await walk(world);
    if (complaints.length > 0) error = `the console has: ${complaints.join('\n')}`;
  } catch (thrown) {
    error = [thrown.stack, ...complaints, await world.page?.locator('body').innerText()].join('\n');
  }
  console.log(JSON.stringify({ name: step, error, milliseconds: Math.round(performance.now() - start) }));
  if (error) break;
}
await browser.close();
process.exit();
