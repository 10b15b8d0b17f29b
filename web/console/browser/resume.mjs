// Interrupts uploads, and prints what is wrong, a line each.
// Usage: node resume.mjs BASE FOLDER CONTROL
// BASE is the address of a server without accounts. Files are written into FOLDER. A request to
// CONTROL/kill kills the server, and a request to CONTROL/start starts it again.
// PORTICO_PICTURES=FOLDER stores a picture of an upload that waits for the connection.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from './chromium.mjs';

const [base, folder, control] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
const context = await browser.newContext({ locale: 'en' });
context.setDefaultTimeout(180_000); // the machine may be busy
const offsets = new Map(); // of the requests for each part of an upload
context.on('request', (request) => {
  if (request.method() === 'PATCH')
    offsets.set(request.url(), [...(offsets.get(request.url()) ?? []), Number(request.headers()['upload-offset'])]);
});
const page = await open();
await page.getByLabel('E-mail address').fill('ada@example.com');
await page.getByLabel('Name').fill('Ada');
await page.getByLabel('Password').fill('correct horse battery');
await page.keyboard.press('Enter');
await page.waitForURL(`${base}/console`);
await survive();
await continueNamesakes();
await moveToAnotherTab();
await browser.close();
console.log('done');

async function open(path = '') {
  const opened = await context.newPage();
  opened.on('pageerror', (error) => wrong(`error: ${error.message}`));
  await opened.goto(base + path);
  return opened;
}

/** Returns a function that limits how many bytes a second the page sends. */
async function throttle() {
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  return (uploadThroughput) =>
    network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
}

/** Starts the upload of 42 MB in the page, slowly, and returns when some of it has arrived. */
async function start(name, limit) {
  offsets.clear();
  await writeFile(join(folder, name), Buffer.alloc(40 << 20, name));
  await limit(500_000); // the rest does not arrive before the interruption
  await choose(page, name);
  await page.getByText(/^Sending ([2-9]|\d\d)(\.\d)? MB of 42 MB/).waitFor();
}

async function choose(tab, name) {
  await tab.locator('input[type=file]:not([webkitdirectory])').setInputFiles(join(folder, name));
}

/** Reports a part that started from its beginning a second time. */
function checkOffsets(when) {
  const starts = [...offsets.values()];
  const continues = (values) => values[0] === 0 && values.slice(1).every((offset, i) => offset > 0 && offset >= values[i]);
  if (starts.length === 0 || !starts.some(({ length }) => length > 1) || !starts.every(continues))
    wrong(`${when}: the parts start at ${JSON.stringify(starts)}`);
}

// survive kills the server, as kill -9 does, while a file is sent. Nobody touches the page meanwhile.
async function survive() {
  const limit = await throttle();
  await start('killed.bin', limit);
  await fetch(`${control}/kill`);
  await page.getByText('The connection was lost. The upload continues when it is back.').waitFor();
  const cancel = await page.getByRole('button', { name: 'Cancel killed.bin' }).innerText();
  if (cancel !== 'Cancel') wrong(`the button that cancels a waiting upload says ${cancel}`);
  if (process.env.PORTICO_PICTURES) await page.screenshot({ path: join(process.env.PORTICO_PICTURES, 'waiting.png') });
  await fetch(`${control}/start`);
  await limit(-1);
  await page.getByText('Stored, but no space can show').waitFor();
  checkOffsets('after kill -9');
  await page.getByRole('button', { name: /^Remove killed.bin/ }).click();
}

// continueNamesakes interrupts two uploads of one name, and chooses the files again one after the other.
async function continueNamesakes() {
  const limit = await throttle();
  await limit(500_000);
  for (const [place, megabytes, shown] of [
    ['attic', 40, 42],
    ['cellar', 44, 46],
  ]) {
    await mkdir(join(folder, place));
    await writeFile(join(folder, place, 'scan.bin'), Buffer.alloc(megabytes << 20));
    await choose(page, join(place, 'scan.bin'));
    if (place === 'cellar') await page.locator('#tray button').click(); // two uploads are one line
    await page.getByText(new RegExp(`^Sending ([2-9]|\\d\\d)(\\.\\d)? MB of ${shown} MB`)).waitFor();
    await page.getByRole('button', { name: 'Pause scan.bin' }).click();
  }
  await page.reload();
  await limit(-1);
  await page.locator('#tray button').click();
  const stopped = page.getByText(/^Stopped at .* of 4[26] MB/);
  const stored = page.getByText('Stored, but no space can show');
  await stopped.nth(1).waitFor();
  // The list has no fixed order after a reload: the first upload must outlive the choice of the second.
  const isAtticFirst = (await stopped.first().textContent()).includes('of 42 MB');
  const [first, second] = isAtticFirst ? ['attic', 'cellar'] : ['cellar', 'attic'];
  await choose(page, join(second, 'scan.bin'));
  await stored.waitFor();
  if ((await stopped.count()) !== 1 || !(await stopped.textContent()).includes(isAtticFirst ? 'of 42 MB' : 'of 46 MB'))
    wrong('the choice of one file removed the upload of another one');
  await choose(page, join(first, 'scan.bin'));
  await stored.nth(1).waitFor();
  for (let i = 0; i < 2; i++)
    await page
      .getByRole('button', { name: /^Remove scan.bin/ })
      .first()
      .click();
}

// moveToAnotherTab opens a second tab while the first one sends a file, and closes the first one.
async function moveToAnotherTab() {
  await start('moved.bin', await throttle());
  const second = await open('/console');
  await second.getByRole('heading', { level: 1, name: 'Spaces' }).waitFor();
  if (await second.getByText('moved.bin').count()) wrong('the second tab shows the upload of the first one');
  await page.goto('about:blank'); // closing it would first end the throttle, so that the rest arrives
  await page.close();
  await second.getByText(/^Stopped at .* of 42 MB. Choose it again/).waitFor();
  await choose(second, 'moved.bin');
  await second.getByText('Stored, but no space can show').waitFor();
  checkOffsets('in another tab');
}
