// Opens a page with an example, and prints what it shows at its end.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const { chromium } = createRequire(import.meta.url)('playwright-core');

const [example, address] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--enable-unsafe-swiftshader'] });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(240_000);
  const problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.stack));
  await page.goto(address);
  if (example === 'publish') {
    await page.getByLabel('Key').fill(process.env.PORTICO_KEY);
    await page.getByLabel('Capture').setInputFiles('room.ply');
    const link = page.getByRole('link');
    await link.waitFor();
    assert.equal(await page.getByRole('progressbar').evaluate(({ value }) => value), 1);
    console.log(await link.getAttribute('href'));
    // A file that takes long is cancelled by the button.
    await page.locator('#result').evaluate((result) => result.replaceChildren());
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 300_000 });
    await page.getByLabel('Capture').setInputFiles('large.ply');
    await page.waitForFunction(() => document.querySelector('progress').value > 0 && document.querySelector('progress').value < 1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('aborted').waitFor();
  } else {
    await page.getByRole('button').click({ trial: true });
    await page.frameLocator('portico-space iframe').locator('canvas').first().waitFor();
    await page.waitForFunction(() => document.getElementById('show').onclick !== null);
    await page.getByRole('button').click();
    await page.getByText('fountain', { exact: true }).waitFor();
    await page.frameLocator('portico-space iframe').getByRole('complementary', { name: 'Fountain' }).waitFor();
  }
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
}
