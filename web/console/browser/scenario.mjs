// Goes the way of the first person on a server, in Chromium, and prints what is wrong, a line each.
// Usage: node scenario.mjs BASE FOLDER [PICTURES]
// BASE is the address of a server without accounts. A capture is written into FOLDER. Pictures of
// all views are stored in PICTURES, if it is there. ROUTES has the routes of the console; see routes.mjs.
import { join } from 'node:path';
import { chromium } from './chromium.mjs';
import { addFactors, changeAccount, checkTools, deleteAccount, useWebhook } from './account.mjs';
import { look as lookAt, storeWebP } from './look.mjs';
import { operate } from './operator.mjs';
import { unvisited } from './routes.mjs';
import { changePrivacy, deleteEverything, useHistory } from './spaces.mjs';
import { publishDrop, publishFolder, resumeUpload } from './uploads.mjs';

const [base, folder, pictures] = process.argv.slice(2);
// Views that docs/tour.md and README.md show, and the names of their pictures. With CONSOLE_README=FOLDER
// they are stored there.
const documented = { welcome: 'welcome', tray: 'publish', space: 'console', files: 'files' };
const timeout = 180_000; // the machine may be busy
const wrong = (text) => console.log(text);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
});
process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en', reducedMotion: 'reduce' });
context.setDefaultTimeout(timeout);
const page = await context.newPage();
page.on('pageerror', (error) => wrong(`error: ${error.message}`));
page.on('console', (message) => {
  // The scenario leaves pages while their socket connects.
  if (message.text().includes('closed before the connection is established')) return;
  if (['error', 'warning'].includes(message.type()) && page.url().includes('/console'))
    wrong(`console: ${message.text()} ${message.location().url}`);
});
const button = (name) => page.getByRole('button', { name, exact: true });
const scenario = { base, button, context, folder, look, page, timeout, wrong };

await createFirstAccount();
await publishFolder(scenario);
await publishDrop(scenario);
await resumeUpload(scenario);
await lookAtViews();
await changeAccount(scenario);
await useWebhook(scenario);
await addFactors(scenario);
await changePrivacy(scenario);
await useHistory(scenario);
await operate(scenario);
await deleteEverything(scenario);
await deleteAccount(scenario);
for (const route of unvisited()) wrong(`axe has not looked at the route ${route}`);
await browser.close();
console.log('done');

// createFirstAccount follows the home page of an empty server to the console.
async function createFirstAccount() {
  await page.goto(base);
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Password').fill('correct horse battery');
  await look('welcome');
  await button('Create the first account').click();
  await page.waitForURL(`${base}/console`);
  await page.getByRole('heading', { name: 'Your first space starts here' }).waitFor();
  await look('spaces-empty');
  await page.keyboard.press('Tab');
  const first = await page.evaluate(() => document.activeElement?.textContent);
  if (first !== 'Skip to the content') wrong(`the first Tab leads to ${first}`);
  await page.evaluate(() => document.activeElement.blur()); // the pictures show no focus
}

// lookAtViews opens each view by its links.
async function lookAtViews() {
  await page.goto(`${base}/console/spaces`);
  await page.getByRole('link', { name: 'Hall', exact: true }).waitFor();
  await look('spaces');
  await checkTools(scenario);
  await button('New space').click();
  await look('create');
  await page.keyboard.press('Escape');
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: 'Files' }).click();
  await page.getByRole('link', { name: /^hall/i }).waitFor();
  await look('files');
  await page.getByLabel('Search file names').fill('PLAN');
  await page.getByRole('link', { name: /^hall/i }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'plan.png' }).waitFor();
  await page.getByRole('link', { name: 'plan.png' }).click();
  await page.getByRole('heading', { name: 'Used in' }).waitFor();
  await look('file');
  await sections.getByRole('link', { name: 'Files' }).click();
  await page.getByRole('link', { name: /^hall/i }).click();
  await button('Convert…').press('Enter');
  await page.getByRole('dialog').getByLabel('Format').waitFor();
  await look('convert');
  await page.keyboard.press('Escape');
  await sections.getByRole('link', { name: 'Activity' }).click();
  await page.getByText('Unpack a zip').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Nobody follows you yet.').waitFor();
  await look('activity');
  await page.goto(`${base}/console/spaces/%FF`); // not UTF-8
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.goto(`${base}/console/nowhere`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByText('Go to Spaces.', { exact: false }).waitFor();
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('heading', { name: 'Seite nicht gefunden' }).waitFor();
  await look('unknown-german');
  await page.getByLabel('Sprache').selectOption('en');
}

// look looks at the view, and stores its picture for the documents where they show it.
async function look(name) {
  await lookAt(page, name, { wrong, pictures });
  if (documented[name] && process.env.CONSOLE_README) await storeWebP(page, join(process.env.CONSOLE_README, `${documented[name]}.webp`));
}
