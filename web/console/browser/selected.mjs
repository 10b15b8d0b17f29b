// Selects several files and several spaces, with the mouse and by the keyboard, changes them together, and
// prints what is wrong, a line each.
// Usage: node selected.mjs BASE [PICTURES]
// BASE is the address of a server without accounts and without a worker.
import { look } from './look.mjs';
import { ask, start } from './person.mjs';

const [base, pictures] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const { browser, context, page } = await start(base, wrong);
const section = (name) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name });
const box = (name) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const button = (name) => page.getByRole('button', { name, exact: true });
const dialog = page.getByRole('dialog');
const names = async () => (await ask(context, base, '{ files { nodes { name } } }')).files.nodes.map(({ name }) => name).sort();
const spaces = async () => (await ask(context, base, '{ spaces { nodes { title privacy description } } }')).spaces.nodes;
const of = async (title) => (await spaces()).find((space) => space.title === title);

await page
  .locator('input[type=file]:not([webkitdirectory])')
  .setInputFiles(
    ['a.png', 'b.png', 'c.png', 'd.wav'].map((name) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(100, name) })),
  );
while ((await names()).length < 4) await page.waitForResponse((response) => response.url().includes('/graphql'));
await section('Files').press('Enter');
await box('d.wav').waitFor();

// By the keyboard: two of four are saved, then deleted after a question.
for (const name of ['a.png', 'c.png']) await box(name).press('Space');
await page.getByText('2 files are selected').waitFor();
await look(page, 'files-selected', { wrong, pictures });
const saved = [];
page.on('download', (download) => saved.push(download.suggestedFilename()));
const both = page.waitForEvent('download', { predicate: () => saved.length === 2 });
await button('Download').press('Enter');
await both;
if (`${saved.sort()}` !== 'a.png,c.png') wrong(`saved ${saved}`);
await page.keyboard.press('Delete');
await page.getByRole('dialog', { name: 'Delete 2 files?' }).getByRole('button', { name: 'Cancel' }).press('Enter');
if ((await names()).length !== 4) wrong('files were deleted without an answer');
await button('Delete').press('Enter');
await dialog.getByRole('button', { name: 'Delete permanently' }).press('Enter');
await box('a.png').waitFor({ state: 'detached' });
await dialog.waitFor({ state: 'detached' });
if (`${await names()}` !== 'b.png,d.wav') wrong(`after deleting two: ${await names()}`);

// All of the page, and none of it.
await page.getByRole('checkbox', { name: 'Select all files of this page' }).press('Space');
await page.getByText('2 files are selected').waitFor();
await page.keyboard.press('Escape');
await page.getByText('2 files are selected').waitFor({ state: 'detached' });

// Spaces: a range with the mouse, whose titles are in the order of the list.
await section('Spaces').press('Enter');
for (const title of ['Attic', 'Barn', 'Cellar', 'Den']) {
  await ask(context, base, 'mutation($in: CreateSpaceInput!) { createSpace(input: $in) { space { id } } }', {
    in: { title, description: title === 'Barn' ? 'Full of hay. #Farm' : '' },
  });
}
await page.getByRole('link', { name: 'Den', exact: true }).waitFor();
await page.getByRole('combobox', { name: 'Order' }).selectOption({ label: 'Title' });
await page.locator('.cards > li:first-child').getByRole('link', { name: 'Attic', exact: true }).waitFor();
await box('Attic').click();
await box('Cellar').click({ modifiers: ['Shift'] });
await page.getByText('3 spaces are selected').waitFor();
await look(page, 'spaces-selected', { wrong, pictures });

await button('Who can open it…').press('Enter');
await look(page, 'spaces-privacy', { wrong, pictures });
await dialog.getByRole('radio', { name: /^Public/ }).check();
await dialog.getByRole('button', { name: 'Save' }).press('Enter');
await dialog.waitFor({ state: 'detached' });
const open = (await spaces()).filter(({ privacy }) => privacy === 'PUBLIC').map(({ title }) => title);
if (`${open.sort()}` !== 'Attic,Barn,Cellar') wrong(`public are ${open}`);

await button('Tags…').press('Enter');
const tag = dialog.getByRole('combobox', { name: 'Tag' });
await tag.fill('two words');
await tag.press('Enter');
if (!(await dialog.isVisible())) wrong('two words are taken for a tag');
await look(page, 'spaces-tags', { wrong, pictures });
await tag.fill('farm');
await tag.press('Enter');
await dialog.waitFor({ state: 'detached' });
if ((await of('Attic')).description !== '#farm') wrong(`Attic: ${(await of('Attic')).description}`);
if ((await of('Barn')).description !== 'Full of hay. #Farm') wrong(`Barn: ${(await of('Barn')).description}`);
await button('Tags…').press('Enter');
await tag.fill('#farm');
await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
await dialog.waitFor({ state: 'detached' });
const descriptions = (await spaces()).map(({ description }) => description).filter(Boolean);
if (`${descriptions}` !== 'Full of hay.') wrong(`without the tag: ${descriptions}`);

// What is selected is deleted by its number.
await page.keyboard.press('Delete');
if (await dialog.getByRole('button', { name: 'Delete permanently' }).isEnabled()) wrong('three spaces are deleted without their number');
await dialog.getByRole('textbox').fill('3');
await dialog.getByRole('textbox').press('Enter');
await box('Attic').waitFor({ state: 'detached' });
await dialog.waitFor({ state: 'detached' });
if (`${(await spaces()).map(({ title }) => title)}` !== 'Den') wrong('the wrong spaces are deleted');
await browser.close();
console.log('done');
