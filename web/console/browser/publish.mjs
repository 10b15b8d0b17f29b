// Publishes a capture of each kind and what is refused, and prints what is wrong, a line each.
// Usage: node publish.mjs BASE FILES FOLDERS REFUSED [PICTURES]
// BASE is the address of a server without accounts. FILES and FOLDERS have captures, REFUSED has
// damaged.zip, several.zip and scan.e57.
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { choose, look } from './look.mjs';
import { start } from './person.mjs';

const [base, files, folders, refused, pictures] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const { browser, page } = await start(base, wrong);
const input = page.locator('input[type=file]:not([webkitdirectory])');
const rowOf = (name) => page.locator('.tray li').filter({ has: page.getByText(name, { exact: true }) });

await publishCaptures();
await refuse();
await chooseCapture();
await browser.close();
console.log('done');

// publishCaptures publishes all captures at once, and finds Gaussians in each.
async function publishCaptures() {
  const names = await readdir(files);
  await input.setInputFiles(names.map((name) => join(files, name)));
  for (const name of await readdir(folders)) {
    await page.locator('input[webkitdirectory]').setInputFiles(join(folders, name));
    names.push(`${name}.zip`);
  }
  await openTray();
  for (const name of names) {
    const end = await rowOf(name)
      .getByText(/^Ready|damaged|^Stored, but/)
      .or(rowOf(name).getByRole('alert'))
      .first()
      .textContent();
    if (!end.startsWith('Ready')) wrong(`${name}: ${end}`);
  }
  await look(page, 'publish-each', { wrong, pictures });
  for (const name of names) await page.getByRole('button', { name: `Remove ${name} from this list`, exact: true }).click();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Files' }).click();
  const rows = page.locator('main tbody tr');
  await rows.nth(names.length - 1).waitFor();
  for (const row of await rows.allTextContents()) if (!/Gaussians/.test(row)) wrong(`no Gaussians in ${row}`);
  await look(page, 'files-each', { wrong, pictures });
}

// chooseCapture publishes a zip with two captures, and makes a space of one of them.
async function chooseCapture() {
  await input.setInputFiles(join(refused, 'several.zip'));
  const row = rowOf('several.zip');
  await row.getByText('This zip has several captures.').waitFor();
  if (await row.getByRole('button', { name: 'Make a space' }).count()) wrong('a space can be made of a zip with several captures');
  await look(page, 'captures', { wrong, pictures });
  const names = await row.getByRole('listitem').allTextContents();
  if (names.length !== 2 || !names.every((name) => /scan\.ply.*[0-9.]+ [kM]B · [0-9.]+K? Gaussians/s.test(name)))
    wrong(`captures: ${names}`);
  await row.getByRole('button', { name: 'room/scan.ply' }).press('Enter');
  await row.getByText(/^Ready/).waitFor();
  await row.getByRole('button', { name: 'Make a space' }).press('Enter');
  await page.locator('#scene').waitFor(); // one stands in it
}

// openTray opens the line of several uploads.
async function openTray() {
  const line = page.locator('#tray button');
  if ((await line.getAttribute('aria-expanded')) === 'false') await line.press('Enter');
}

// refuse publishes what cannot be shown. Each refusal says what to do.
async function refuse() {
  const large = join(refused, 'large.ply');
  await writeFile(large, '');
  await truncate(large, 11e9);
  await input.setInputFiles([large, join(refused, 'scan.e57'), join(refused, 'damaged.zip'), join(refused, 'walls.bin')]);
  await openTray();
  await rowOf('large.ply')
    .getByText(/^You need [0-9.]+ [MG]B more storage\. Delete files/)
    .waitFor();
  await rowOf('scan.e57')
    .getByText(/cannot read this kind of file\. Export a capture as \.ply/)
    .waitFor();
  await rowOf('damaged.zip')
    .getByText(/"scan\.ply" is cut off.*\. Copy or download it again/)
    .waitFor();
  await rowOf('walls.bin')
    .getByText(/no space can show this kind of file\. Export a capture as \.ply/)
    .waitFor();
  if (await rowOf('walls.bin').getByRole('button', { name: 'Make a space' }).count())
    wrong('a space can be made of walls.bin, which it cannot show');
  await look(page, 'refused', { wrong, pictures });
  await choose(page, 'de');
  await rowOf('scan.e57')
    .getByText(/^Portico kann diese Art von Datei nicht lesen/)
    .waitFor();
  await rowOf('damaged.zip')
    .getByText(/"scan\.ply" ist abgeschnitten: sie hat \d+ Bytes.*\. Kopieren Sie sie noch einmal/)
    .waitFor();
  await page.getByRole('row').getByRole('link', { name: 'scan.spz' }).press('Enter');
  await page.getByRole('button', { name: 'Umwandeln …' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Format').selectOption({ label: 'SPZ' });
  await page.getByRole('dialog').getByRole('button', { name: 'Umwandeln', exact: true }).press('Enter');
  await page.getByText('Die Datei ist schon SPZ.', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await choose(page, 'en');
}
