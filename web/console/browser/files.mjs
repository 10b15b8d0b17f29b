// Selects files in the list and deletes them together, and prints what is wrong, a line each.
// Usage: node files.mjs BASE [PICTURES]
// BASE is the address of a server without accounts and without a worker.
import { look } from './look.mjs';
import { ask, start } from './person.mjs';

const [base, pictures] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const { browser, context, page } = await start(base, wrong);
const names = async () => (await ask(context, base, '{ files { nodes { name } } }')).files.nodes.map(({ name }) => name).sort();

await page
  .locator('input[type=file]:not([webkitdirectory])')
  .setInputFiles(
    ['a.png', 'b.png', 'c.png', 'd.wav'].map((name) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(100, name) })),
  );
while ((await names()).length < 4) await page.waitForResponse((response) => response.url().includes('/graphql'));
await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Files' }).press('Enter');
await page.getByRole('checkbox', { name: 'Select d.wav' }).waitFor();

// By the keyboard: two of four, with a question before.
for (const name of ['a.png', 'c.png']) await page.getByRole('checkbox', { name: `Select ${name}` }).press('Space');
await page.getByText('2 files are selected').waitFor();
await look(page, 'files-selected', { wrong, pictures });
await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
await page.getByRole('dialog', { name: 'Delete 2 files?' }).getByRole('button', { name: 'Cancel' }).press('Enter');
if ((await names()).length !== 4) wrong('files were deleted without an answer');
await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).press('Enter');
await page.getByRole('checkbox', { name: 'Select a.png' }).waitFor({ state: 'detached' });
await page.getByRole('dialog').waitFor({ state: 'detached' });
if (`${await names()}` !== 'b.png,d.wav') wrong(`after deleting two: ${await names()}`);

// All of the page, and none of it.
await page.getByRole('checkbox', { name: 'Select all files of this page' }).press('Space');
await page.getByText('2 files are selected').waitFor();
await page.getByRole('button', { name: 'Deselect' }).press('Enter');
await page.getByText('2 files are selected').waitFor({ state: 'detached' });
await browser.close();
console.log('done');
