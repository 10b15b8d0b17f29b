// Changes what a space contains, in the console and behind its back, and prints what is wrong, a line each.
// Usage: node entities.mjs BASE [PICTURES]
// BASE is the address of a server without accounts.
import { look } from './look.mjs';
import { ask, start } from './person.mjs';

const [base, pictures] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const { browser, context, page } = await start(base, wrong);
const run = (query, variables) => ask(context, base, query, variables);
const button = (name) => page.getByRole('button', { name, exact: true });
const row = (name) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });

const { space } = (await run(`mutation { createSpace(input: { title: "Hall" }) { space { id spaceId } } }`)).createSpace;
const fileId = await uploadPlugin();
await page.goto(`${base}/console/spaces/${space.spaceId}`);
await page.getByText('The space is empty.').waitFor();
await follow();
await setUpPlugin();
await removeAndRestore();
await leaveDialog();
await browser.close();
console.log('done');

// uploadPlugin stores a plugin, and returns the id of its file.
async function uploadPlugin() {
  await page.locator('input[type=file]:not([webkitdirectory])').setInputFiles({
    name: 'lamp.mjs',
    mimeType: 'text/javascript',
    buffer: Buffer.from("export default (portico) => portico.show({ kind: 'box' });"),
  });
  await page.getByText('Ready.').waitFor();
  await page.getByRole('button', { name: /^Remove lamp.mjs/ }).click();
  return (await run(`{ files(first: 1) { nodes { id } } }`)).files.nodes[0].id;
}

// follow creates, changes and deletes an entity elsewhere. The page shows each without a reload.
async function follow() {
  const create = (name) =>
    run(`mutation ($id: ID!, $data: JSON) { createEntity(input: { spaceId: $id, data: $data }) { entity { id } } }`, {
      id: space.id,
      data: { name },
    });
  const { entity } = (await create('Table')).createEntity;
  await row('Table').waitFor();
  await run(`mutation ($id: ID!) { updateEntity(input: { entityId: $id, data: { name: "Desk" } }) { entity { id } } }`, { id: entity.id });
  await row('Desk').waitFor();
  await run(`mutation ($id: ID!) { deleteEntity(input: { entityId: $id }) { deletedEntityId } }`, { id: entity.id });
  await row('Desk').waitFor({ state: 'detached' });
  await page.getByText('The space is empty.').waitFor();
}

// setUpPlugin adds settings of each kind to a plugin by the keyboard alone, changes one and removes one.
async function setUpPlugin() {
  await run(
    `mutation ($id: ID!, $file: ID!, $data: JSON) { createEntity(input: { spaceId: $id, fileId: $file, data: $data }) { entity { id } } }`,
    { id: space.id, file: fileId, data: { name: 'Lamp', params: { label: 'Old lamp', gone: 1 } } },
  );
  const dialog = page.getByRole('dialog', { name: 'Settings for Lamp' });
  await button('Settings for Lamp').press('Enter');
  await dialog.getByLabel('label', { exact: true }).fill('A lamp');
  await dialog.getByRole('button', { name: 'Remove the setting gone' }).press('Enter');
  for (const [name, kind] of [
    ['height', 'Number'],
    ['lit', 'On or off'],
    ['colour', 'List or group (JSON)'],
  ]) {
    await dialog.getByLabel('Name of the setting').fill(name);
    await dialog.getByLabel('Kind').selectOption({ label: kind });
    await dialog.getByLabel('Name of the setting').press('Enter');
    await dialog.getByLabel(name, { exact: true }).waitFor();
  }
  const save = dialog.getByRole('button', { name: 'Save' });
  await dialog.getByText('Enter a number.').waitFor();
  if (await save.isEnabled()) wrong('a number without a value can be saved');
  await dialog.getByLabel('height', { exact: true }).fill('2.5');
  await dialog.getByLabel('lit', { exact: true }).press('Space');
  await dialog.getByLabel('colour', { exact: true }).fill('[1, 0.9');
  await dialog.getByText('This is not valid JSON.').waitFor();
  await dialog.getByLabel('Name of the setting').fill('label');
  await dialog.getByText('There is already a setting with this name.').waitFor();
  await look(page, 'plugin-settings', { wrong, pictures });
  await dialog.getByLabel('colour', { exact: true }).fill('[1, 0.9, 0.4]');
  await save.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const { nodes } = (await run(`query ($id: ID!) { space(id: $id) { entities { nodes { data } } } }`, { id: space.id })).space.entities;
  const got = JSON.stringify(nodes[0].data.params);
  const want = JSON.stringify({ label: 'A lamp', height: 2.5, lit: true, colour: [1, 0.9, 0.4] });
  if (canonical(got) !== canonical(want)) wrong(`the settings are ${got}, want ${want}`);
}

// canonical returns JSON of one object with its names in order.
function canonical(json) {
  return JSON.stringify(Object.entries(JSON.parse(json)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

// removeAndRestore removes the plugin and undoes that: it is the same entity again, with its file and its settings.
async function removeAndRestore() {
  const entities = async () =>
    (await run(`query ($id: ID!) { space(id: $id) { entities { nodes { entityId type data file { id } } } } }`, { id: space.id })).space
      .entities.nodes;
  const before = JSON.stringify(await entities());
  await button('Remove Lamp').press('Enter');
  await page.getByText('Lamp was removed.').waitFor();
  await row('Lamp').waitFor({ state: 'detached' });
  if ((await entities()).length) wrong('the removed entity is still there');
  await look(page, 'entity-removed', { wrong, pictures });
  await button('Undo').press('Enter');
  await row('Lamp').waitFor();
  await page.getByText('Lamp is back.').waitFor();
  const after = JSON.stringify(await entities());
  if (after !== before) wrong(`the restored entity is ${after}, want ${before}`);
}

// leaveDialog closes the dialog of a new space while the server creates it: the page stays where it is.
async function leaveDialog() {
  await page.goto(`${base}/console`);
  const isCreation = (request) => request.postData()?.includes('mutation CreateSpace(');
  let release;
  const left = new Promise((resolve) => {
    release = resolve;
  });
  await page.route('**/graphql', async (route) => {
    if (isCreation(route.request())) await left;
    return route.continue();
  });
  const dialog = page.getByRole('dialog', { name: 'New space' });
  await button('New space').press('Enter');
  await dialog.getByLabel('Title').fill('Cellar');
  await dialog.getByLabel('Title').press('Enter');
  await dialog.getByRole('button', { name: 'Creating…' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const created = page.waitForResponse((response) => isCreation(response.request()));
  release();
  await (await created).finished();
  await page.getByText('Cellar', { exact: true }).first().waitFor();
  if (new URL(page.url()).pathname !== '/console') wrong(`after the dialog was closed, the page is ${page.url()}`);
}
