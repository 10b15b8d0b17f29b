// Fills the form of a gate, and prints what is wrong, a line each.
// Usage: node gate.mjs BASE [PICTURES]
// BASE is the address of a server without accounts.
import { deflateSync } from 'node:zlib';
import { look } from './look.mjs';
import { ask, start } from './person.mjs';

const [base, pictures] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const { browser, context, page } = await start(base, wrong);
const run = (query, variables) => ask(context, base, query, variables);
const dialog = page.getByRole('dialog');
const field = (name) => dialog.getByLabel(name, { exact: true });
const save = () => dialog.getByRole('button', { name: 'Save' }).press('Enter');

const { space } = (await run(`mutation { createSpace(input: { title: "Hall" }) { space { id spaceId } } }`)).createSpace;
await run(`mutation { createSpace(input: { title: "Garden" }) { space { id } } }`);
const walls = Array.from({ length: 12 }, (_, i) => `wall-${i + 1}.png`);
for (const names of [walls, ['door.png']]) {
  // the door is the newest
  await page
    .locator('input[type=file]:not([webkitdirectory])')
    .setInputFiles(names.map((name) => ({ name, mimeType: 'image/png', buffer: picture() })));
  if (names.length > 1) await page.locator('#tray button').press('Enter'); // several uploads are one line
  await page
    .getByText('Ready.')
    .nth(names.length - 1)
    .waitFor();
  for (const name of names) await page.getByRole('button', { name: new RegExp(`^Remove ${name}`) }).click();
}
await page.goto(`${base}/console/spaces/${space.spaceId}`);
await leadToPage();
await leadToSpace();
await showUse();
await browser.close();
console.log('done');

// leadToPage tries to save what is missing or wrong: each time the form says what it is.
async function leadToPage() {
  await page.getByRole('button', { name: 'Add a gate…' }).press('Enter');
  await save();
  await expectProblem('Search your spaces and public ones', 'Choose the space that the gate leads to.');
  await dialog.getByRole('radio', { name: 'A web page' }).check();
  await save();
  await expectProblem('Address', 'Enter the address of the web page.');
  await field('Address').fill('https://ex ample.com/');
  await save();
  await expectProblem('Address', 'The address must not contain a space character.');
  await field('Address').fill('https://example.com/garden');
  await field('Picture (address)').fill('door.png');
  await save();
  await expectProblem('Picture (address)', 'The address must start with https:// or http://.');
  await field('Picture (address)').fill('https://example.com/door.png');
  await dialog.getByText('Upload the picture and choose it here.').waitFor();
  await field('y').fill('');
  await save();
  await expectProblem('y', 'Enter a number in each field.');
  await field('y').fill('1');
  const all = dialog.getByRole('group', { name: 'Your pictures' }).getByRole('button');
  if ((await all.count()) !== 12) wrong(`the form offers ${await all.count()} pictures at first, want 12`);
  const more = dialog.getByRole('button', { name: 'Show more pictures' });
  await more.press('Enter');
  await more.waitFor({ state: 'detached' });
  if ((await all.count()) !== 13) wrong(`the form offers ${await all.count()} pictures in the end, want 13`);
  if (!(await dialog.evaluate((element) => element.contains(document.activeElement)))) wrong('showed more pictures: the focus is lost');
  await all.and(dialog.getByRole('button', { name: 'door.png' })).press('Enter');
  await dialog.locator('.shown img').waitFor();
  await look(page, 'gate-page', { wrong, pictures });
  await save();
  await page.getByRole('button', { name: 'Edit example.com' }).waitFor(); // the name of a gate without a title
}

// leadToSpace saves a gate whose title is empty, before the space that it leads to has loaded.
async function leadToSpace() {
  let release;
  const saved = new Promise((resolve) => {
    release = resolve;
  });
  await page.route('**/graphql', async (route) => {
    const { operationName, variables } = route.request().postDataJSON();
    if (operationName === 'LeadsTo' && variables.id !== space.spaceId) await saved;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Add a gate…' }).press('Enter');
  await dialog.getByRole('button', { name: 'Garden' }).waitFor();
  await look(page, 'gate-spaces', { wrong, pictures });
  await dialog.getByRole('button', { name: 'Garden' }).press('Enter');
  await field('Title').fill('');
  await save();
  await page.getByRole('button', { name: 'Edit Garden' }).waitFor();
  release();
  await page.unrouteAll({ behavior: 'wait' });
}

// showUse finds the space of the gate on the page of its picture, and in the dialog that deletes it,
// and makes a space of the picture.
async function showUse() {
  await page.goto(`${base}/console/files`);
  await page.getByRole('row').filter({ hasText: 'door.png' }).getByText('1 place').waitFor();
  await page.getByRole('link', { name: 'door.png' }).press('Enter');
  await page.getByRole('main').getByRole('link', { name: 'Hall', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete…' }).press('Enter');
  await dialog.getByText('1 item in a space shows this file and will lose it:').waitFor();
  await dialog.getByText('Hall').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' }); // an open dialog gets the next key
  await page.getByRole('button', { name: 'Make another space from it' }).press('Enter');
  await page.locator('#scene').waitFor();
}

// expectProblem expects the focus in the field, and what is wrong with it.
async function expectProblem(label, problem) {
  await dialog.getByText(problem).waitFor();
  if (!(await field(label).evaluate((input) => input === document.activeElement))) wrong(`${problem} The focus is not in ${label}.`);
}

// picture returns a PNG of 64 x 64 pixels.
function picture() {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(64 * 3, 180)]);
  const header = Buffer.from([0, 0, 0, 64, 0, 0, 0, 64, 8, 2, 0, 0, 0]);
  const chunks = [
    ['IHDR', header],
    ['IDAT', deflateSync(Buffer.concat(Array(64).fill(row)))],
    ['IEND', Buffer.alloc(0)],
  ];
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...chunks.map(([name, data]) => chunk(name, data))]);
}

function chunk(name, data) {
  const content = Buffer.concat([Buffer.from(name), data]);
  const framed = Buffer.alloc(content.length + 8);
  framed.writeUInt32BE(data.length, 0);
  content.copy(framed, 4);
  framed.writeUInt32BE(checksum(content), content.length + 4);
  return framed;
}

function checksum(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
