// Copies over plain HTTP, where browsers have no clipboard, and prints what is wrong, a line each.
// Usage: node copy.mjs BASE EMAIL PASSWORD
// BASE is the address of a server by a name that is not localhost, such as http://portico.test:PORT.
import { chromium } from './chromium.mjs';

const [base, email, password] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', `--host-resolver-rules=MAP ${new URL(base).hostname} 127.0.0.1`],
});
process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
const context = await browser.newContext({ locale: 'en' });
context.setDefaultTimeout(120_000); // the machine may be busy
const page = await context.newPage();
page.on('pageerror', (error) => wrong(`error: ${error.message}`));

await page.goto(`${base}/login?next=/console/account`);
await page.getByLabel('E-mail address').fill(email);
await page.getByLabel('Password').fill(password);
await page.keyboard.press('Enter');
await page.waitForURL(`${base}/console/account`);
if (await page.evaluate(() => isSecureContext || 'clipboard' in navigator)) wrong('the page has a clipboard, so nothing is tested');

const make = page.getByRole('button', { name: /^(Create a|Replace the) key/ });
await make.click();
if (await page.getByRole('dialog').count()) await page.getByRole('button', { name: 'Replace it' }).click();
const key = await page.getByRole('textbox', { name: 'Your new key' }).inputValue();
const copy = page.getByRole('button', { name: 'Copy: Your new key' });
await copy.press('Enter');
await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
if (!(await copy.evaluate((button) => button === document.activeElement))) wrong('the focus leaves the button');
await expectPasted(page.getByLabel('Name', { exact: true }), key, 'in the console');

await page.evaluate(() => {
  document.execCommand = () => false;
}); // as in browsers that refuse
await copy.press('Enter');
const failed = page.getByText('Press Ctrl+C or ⌘C to copy the selected text.');
await failed.waitFor();
// The first copy says for two seconds that it is done.
await page.waitForFunction((end) => performance.now() > end, await page.evaluate(() => performance.now() + 2000));
if (!(await failed.isVisible())) wrong('the end of the first copy hides that the second one failed');
if ((await page.evaluate(() => getSelection().toString())) !== key) wrong('the key is not selected');

await page.goto(`${base}/console/account`);
const show = page.getByRole('link', { name: 'Show the key' });
await show.click();
await page.getByRole('button', { name: 'Copy' }).press('Enter');
await page.getByText('Copied.').waitFor();
await browser.close();
console.log('done');

// expectPasted pastes into a field.
async function expectPasted(field, want, where) {
  await field.fill('');
  await field.press('Control+V');
  if ((await field.inputValue()) !== want) wrong(`copied ${where}: got another text than the key`);
}
