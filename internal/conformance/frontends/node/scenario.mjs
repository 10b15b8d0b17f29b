// The scenario, the same for every application. Each step needs the ones before it.

import assert from 'node:assert/strict';

import { signUp } from './account.mjs';

// spaces is the number of spaces before the walk: two pages of five, and three more.
const spaces = 13;

const list = (page, name) => page.getByRole('list', { name });
const row = (page, entityId) => list(page, 'Entities').getByRole('listitem', { name: entityId, exact: true });
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

// count waits until the list has this many rows.
const count = (page, name, n) => page.waitForFunction(
  ([name, n]) => document.querySelectorAll(`ul[aria-label="${name}"] > li`).length === n, [name, n]);

const at = (page, entityId, position, version) => (
  row(page, entityId).getByText(`${entityId} at ${position.join(', ')}, version ${version}`, { exact: true }).waitFor());

const gone = (page, entityId) => row(page, entityId).waitFor({ state: 'detached' });
const refused = (page, text) => page.getByRole('alert').getByText(text).waitFor();
const live = (page) => page.getByRole('status').getByText('Live').waitFor();

async function create(page, entityId) {
  await page.getByLabel('New entity').fill(entityId);
  await press(page, 'Create');
}

// signIn signs in at an application, where the browser has a session at the server.
async function signIn(page, site) {
  await page.goto(site);
  await press(page, 'Sign in');
  await press(page, 'Allow');
  await list(page, 'Spaces').waitFor();
}

// recordProgress makes the page record the values of the job's progress bar.
const recordProgress = (page) => page.evaluate(() => {
  window.progress = [];
  new MutationObserver(() => {
    const bar = document.querySelector('progress');
    const ofJob = bar && !document.body.innerText.includes('Sending');
    if (ofJob && window.progress.at(-1) !== bar.value) window.progress.push(bar.value);
  }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
});

export const steps = {
  'signs in by OAuth from another origin': async (world) => {
    const page = await world.context.newPage();
    world.page = page;
    world.account = await signUp(page, world.server);
    for (let n = 1; n <= spaces; n++) {
      world.space = await world.account.createSpace(`Space ${String(n).padStart(2, '0')}`);
    }
    await signIn(page, world.site);
  },

  'pages through the spaces and searches them': async ({ page }) => {
    for (const n of [5, 10]) {
      await count(page, 'Spaces', n);
      await press(page, 'More spaces');
    }
    await count(page, 'Spaces', spaces);
    await page.getByRole('button', { name: 'More spaces' }).waitFor({ state: 'detached' });
    const titles = await list(page, 'Spaces').getByRole('listitem').allInnerTexts();
    assert.deepEqual(titles, [...titles].sort().reverse(), 'newest first, each once');
    await page.getByLabel('Search').fill('Space 07');
    await count(page, 'Spaces', 1);
    await page.getByLabel('Search').fill('');
    await page.getByRole('button', { name: 'Space 13', exact: true }).waitFor();
  },

  'publishes a capture with live progress': async ({ page, capture }) => {
    await recordProgress(page);
    await page.getByLabel('Capture').setInputFiles(capture);
    await list(page, 'Spaces').getByRole('listitem').first().getByText('capture').waitFor();
    const progress = await page.evaluate(() => window.progress);
    assert.deepEqual(progress, [...progress].sort((a, b) => a - b), 'the progress falls');
    assert.ok(progress.some((value) => value > 0 && value < 100), `no progress is seen: ${progress}`);
  },

  'creates an entity, which is visible before the server answers': async ({ page, proxy, account, space }) => {
    await press(page, 'Space 13');
    await live(page);
    proxy.hold();
    await create(page, 'chair');
    await at(page, 'chair', [0, 0, 0], 0);
    assert.deepEqual(await account.entities(space), {}, 'the server has it already');
    proxy.release();
    await at(page, 'chair', [0, 0, 0], 1);
    await count(page, 'Entities', 1);
  },

  'rolls back an entity whose id is taken': async ({ page, proxy }) => {
    proxy.hold();
    await create(page, 'chair');
    await count(page, 'Entities', 2);
    proxy.release();
    await refused(page, 'Choose another id');
    await count(page, 'Entities', 1);
  },

  'moves an entity before the server answers': async ({ page, proxy, account, space }) => {
    proxy.hold();
    await press(page, 'Move chair');
    await at(page, 'chair', [1, 0, 0], 1);
    assert.deepEqual(await account.entities(space), { chair: 1 }, 'the server has moved it already');
    proxy.release();
    await at(page, 'chair', [1, 0, 0], 2);
  },

  'rolls back a move of an entity that has changed meanwhile': async ({ page, proxy, account, space }) => {
    proxy.hold();
    await press(page, 'Move chair');
    await at(page, 'chair', [2, 0, 0], 2);
    await account.moveEntity(space, 'chair', [7, 0, 0]);
    proxy.release();
    await refused(page, 'Somebody else has changed this meanwhile');
    await at(page, 'chair', [7, 0, 0], 3);
  },

  'deletes an entity before the server answers': async ({ page, proxy, account, space }) => {
    proxy.hold();
    await press(page, 'Delete chair');
    await gone(page, 'chair');
    assert.deepEqual(await account.entities(space), { chair: 3 }, 'the server has deleted it already');
    proxy.release();
    await account.awaitEntities(space, {});
    await count(page, 'Entities', 0);
  },

  'shows the changes of another tab without a request': async (world) => {
    const { page, context, site } = world;
    const other = await context.newPage();
    await signIn(other, site);
    await press(other, 'Space 13');
    await live(other);
    await other.getByRole('heading', { name: 'Space 13' }).waitFor();
    const requests = [];
    const watch = (request) => requests.push(`${request.method()} ${request.url()}`);
    other.on('request', watch);
    await create(page, 'lamp');
    await at(page, 'lamp', [0, 0, 0], 1);
    await at(other, 'lamp', [0, 0, 0], 1);
    await press(page, 'Move lamp');
    await at(other, 'lamp', [1, 0, 0], 2);
    await create(page, 'sofa');
    await at(page, 'sofa', [0, 0, 0], 1);
    await at(other, 'sofa', [0, 0, 0], 1);
    await press(page, 'Delete sofa');
    await gone(other, 'sofa');
    assert.deepEqual(requests, [], 'requests of the other tab');
    other.off('request', watch);
    world.other = other;
  },

  'reads the space again': async ({ page }) => {
    const responded = page.waitForResponse((response) => response.request().method() === 'POST');
    await press(page, 'Reload');
    const { data, errors } = await (await responded).json();
    assert.ok(data && !errors, JSON.stringify(errors));
    await at(page, 'lamp', [1, 0, 0], 2);
    await count(page, 'Entities', 1);
  },

  'rolls back a deletion when the connection is lost': async (world) => {
    const { page, proxy } = world;
    world.expected = /net::ERR_|WebSocket connection to/; // until the connection is back
    proxy.hold();
    await press(page, 'Delete lamp');
    await gone(page, 'lamp');
    proxy.cut();
    await at(page, 'lamp', [1, 0, 0], 2);
    await page.getByRole('status').getByText('Connecting').waitFor();
  },

  'misses nothing when the connection comes back': async (world) => {
    const { page, other, proxy, account, space } = world;
    await account.moveEntity(space, 'lamp', [9, 9, 9]);
    await account.createEntity(space, 'plant');
    await account.createEntity(space, 'vase');
    await account.deleteEntity(space, 'vase');
    proxy.restore();
    for (const tab of [page, other]) {
      await live(tab);
      await at(tab, 'lamp', [9, 9, 9], 3);
      await at(tab, 'plant', [0, 0, 0], 1);
      await count(tab, 'Entities', 2);
    }
    world.expected = null;
    await press(page, 'Move plant');
    for (const tab of [page, other]) await at(tab, 'plant', [1, 0, 0], 2);
  },

  'shows what was deleted while the connection was lost': async (world) => {
    const { page, other, proxy, account, space } = world;
    world.expected = /net::ERR_|WebSocket connection to/;
    proxy.cut();
    await page.getByRole('status').getByText('Connecting').waitFor();
    await account.deleteEntity(space, 'plant');
    proxy.restore();
    for (const tab of [page, other]) {
      await gone(tab, 'plant');
      await live(tab);
    }
    world.expected = null;
  },

  'is signed out when the key is revoked': async (world) => {
    const { page, other, account } = world;
    world.expected = /status of 401/;
    await account.revoke();
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { name: 'Signed out' }).waitFor();
      await tab.getByText('Your key is no longer valid.').waitFor();
      assert.equal(await list(tab, 'Entities').count(), 0, 'lists of a signed-out user');
    }
  },
};
