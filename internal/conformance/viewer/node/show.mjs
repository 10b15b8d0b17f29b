// Shows captures in Chromium one after the other. It reads the views from its
// standard input, and prints a line of JSON for each: how many splats the engine
// drew, the screen as a PNG, and what went wrong.

import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

// An import would first read all of Playwright for the names of its exports, for a third of a second.
const { chromium } = createRequire(import.meta.url)('playwright-core');

const { page: address, views } = JSON.parse(await text(process.stdin));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: [
    '--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync',
    '--enable-unsafe-swiftshader',
  ],
});
const page = await browser.newPage({ viewport: { width: 320, height: 200 } });
page.setDefaultTimeout(120_000);

const said = [];
page.on('console', (message) => message.type() === 'error' && said.push(message.text()));
page.on('pageerror', (error) => said.push(error.stack));
page.on('requestfailed', (request) => said.push(`${request.url()}: ${request.failure().errorText}`));
page.on('response', (response) => response.ok() || said.push(`${response.url()}: status ${response.status()}`));

// late fails after the time in which a view must be drawn, which takes a second on an
// idle machine.
const late = () => new Promise((_, reject) => {
  setTimeout(() => reject(new Error('the view is not drawn after 120 seconds')), 120_000).unref();
});

await page.goto(address);
await page.waitForFunction(() => window.show);
for (const view of views) {
  const start = performance.now();
  let splats;
  try {
    splats = await Promise.race([page.evaluate((view) => window.show(view), view), late()]);
  } catch (error) {
    said.push(error.message);
  }
  const screen = (await page.screenshot()).toString('base64');
  const milliseconds = Math.round(performance.now() - start);
  console.log(JSON.stringify({ splats, screen, said: said.splice(0), milliseconds }));
}
await browser.close();
