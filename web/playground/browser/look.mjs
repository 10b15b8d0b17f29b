// Looks at the playground in Chromium and prints what is wrong with it, a line each.
// Usage: node look.mjs CHROMIUM ADDRESS
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

// An import would first read all of Playwright for the names of its exports, for a third of a second.
const { chromium } = createRequire(import.meta.url)('playwright-core');

const [chromiumPath, address] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const screens = {
  light: { viewport: { width: 1280, height: 800 } },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true },
};

const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
for (const [name, options] of Object.entries(screens)) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrong = (text) => console.log(`${name}: ${text}`);
  page.on('pageerror', (error) => wrong(`error: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && wrong(`console: ${message.text()}`));
  await page.goto(address);
  await page.locator('.graphiql-query-editor .CodeMirror[data-equipped]').waitFor();
  await tabThrough(page, wrong);
  await page.locator('.graphiql-execute-button').click();
  await page.getByRole('menuitem').first().press('Enter'); // a tooltip is in a pointer's way
  const result = page.locator('.graphiql-response').getByText('the-answer');
  await result.waitFor({ timeout: 10_000 }).catch(() => wrong('the result is not shown'));
  const box = await result.boundingBox();
  const { width, height } = page.viewportSize();
  if (!box || box.x < 0 || box.y < 0 || box.x > width || box.y + box.height > height) {
    wrong(`the result is at ${JSON.stringify(box)}, outside of ${width}x${height}`);
  }
  await page.evaluate(axe);
  const violations = await page.evaluate(
    async (values) => (await window.axe.run(document, { runOnly: values, resultTypes: ['violations'] })).violations,
    rules,
  );
  for (const violation of violations) {
    wrong(`${violation.id}: ${violation.nodes.map((node) => node.target.join(' ')).join(', ')}`);
  }
  await context.close();
}
await browser.close();
console.log('looked');

// tabThrough moves from the editor by Tab and back into it by Shift and Tab.
async function tabThrough(page, wrong) {
  const editor = page.getByLabel('Operation', { exact: true });
  const before = await page.evaluate(() => document.querySelector('.CodeMirror').CodeMirror.getValue());
  await editor.focus();
  const isIn = () => page.evaluate(() => document.activeElement.closest('.graphiql-query-editor .CodeMirror') !== null);
  for (let presses = 0; presses < 2 && (await isIn()); presses++) await page.keyboard.press('Tab');
  if (await isIn()) wrong('Tab does not leave the editor');
  for (let presses = 0; presses < 3 && !(await isIn()); presses++) await page.keyboard.press('Shift+Tab');
  if (!(await isIn())) wrong('Shift+Tab does not lead back into the editor');
  const after = await page.evaluate(() => document.querySelector('.CodeMirror').CodeMirror.getValue());
  if (after !== before) wrong('Tab changes the text');
}
