// The owner crops a room, turns it to its floor and moves its origin: first in the preview, then the server does it with the whole file.

import assert from 'node:assert/strict';
import { accessible, awaitColour, call, colours, eventually, finish, given, goTo, open, press, query, savePicture, view } from './browser.mjs';
import { awaitStored, change, edit, owner, stored } from './owner.mjs';

const near = (got, want, what, tolerance = 0.02) => assert.ok(Math.abs(got - want) <= tolerance, `${what}: got ${got}, want ${want}`);

/** The file that the room shows, as the server knows it. */
const shown = async () => (await query('query ($id: ID!) { entity(spaceId: $id, entityId: "room") { file { id name facts { ... on GaussianFacts { splats bounds { min max } } } } } }', { id: given.space })).entity.file;

const me = await owner({ locale: 'en-GB' });
const { page } = me;
const panel = await edit(page, 'Edit', view('fly', [0, 1.5, 3], 0));
const tool = page.getByRole('region', { name: 'Clean up' });

/** Opens the tool for the room. */
async function openTool(on = page, editor = panel) {
  const opener = editor.getByRole('button', { name: 'Clean up…' });
  if (!await opener.isVisible()) {
    await press(on, 'Contents');
    await on.getByRole('button', { name: /^Select room/ }).click();
  }
  await opener.click();
  await on.getByRole('region', { name: 'Clean up' }).waitFor();
}

await openTool();
assert.ok(await tool.getByRole('button', { name: 'Apply' }).isDisabled(), 'there is nothing to apply');
await accessible(page);
const original = await shown();
const before = await stored('room');
const address = before.glbUrl;

// A box of the middle of the room: the wall behind it is red now, or not seen.
const wall = [0.64, 0.36]; // beside the handles
const blue = [25, 51, 230];
await awaitColour(page, wall, blue, 60);
await tool.getByRole('combobox', { name: 'What stays' }).selectOption('box');
const size = tool.getByRole('group', { name: 'Size in metres' });
await size.getByLabel('Z', { exact: true }).fill('6');
await tool.getByText(/^About \d+(\.\d)?% of what is loaded stays\.$/).waitFor();
await savePicture(page, 'clean-box');
await eventually('red on the wall', async () => (await colours(page, [wall]))[0], ([r, , b]) => r > b);
await accessible(page);
await tool.getByLabel('Show what goes, in red').uncheck();
await eventually('the wall is gone', async () => (await colours(page, [wall]))[0], ([r, g, b]) => Math.max(r, g, b) < 70);
await savePicture(page, 'clean-hidden');

// Without the tool, everything is as before.
await tool.getByRole('button', { name: 'Close without changes' }).click();
await awaitColour(page, wall, blue, 60);
await openTool();

// The server crops the file, in one version of the space, and keeps the original.
await tool.getByRole('combobox', { name: 'What stays' }).selectOption('box');
for (const [axis, value] of [['X', '20'], ['Y', '20'], ['Z', '6']]) await size.getByLabel(axis, { exact: true }).fill(value);
const middle = tool.getByRole('group', { name: 'Middle in metres' });
for (const axis of ['X', 'Y', 'Z']) await middle.getByLabel(axis, { exact: true }).fill('0');
await tool.getByRole('button', { name: 'Apply' }).click();
await awaitStored('room', 'another file', ({ glbUrl }) => glbUrl !== address);
await tool.waitFor({ state: 'detached' });
const cropped = await shown();
assert.ok(cropped.facts.splats < original.facts.splats && cropped.facts.splats > original.facts.splats / 2, `got ${cropped.facts.splats} of ${original.facts.splats}`);
near(cropped.facts.bounds.max[2], 3, 'the end of the box', 0.3);
assert.ok((await query('query ($id: ID!) { file(id: $id) { id } }', { id: original.id })).file, 'the original stays');
await eventually('the cropped room', async () => (await colours(page, [wall]))[0], ([r, g, b]) => Math.max(r, g, b) < 70);
await savePicture(page, 'clean-done');
const { spaceVersions: versions } = await query('query ($id: ID!) { spaceVersions(spaceId: $id, first: 1) { nodes { number updated door isChangeSet } } }', { id: given.space });
assert.deepEqual({ ...versions.nodes[0], number: 0 }, { number: 0, updated: 1, door: 'graphql', isChangeSet: true });

// It can be undone in place, and redone.
await panel.getByRole('button', { name: 'Undo' }).click();
await awaitStored('room', 'the original', ({ glbUrl }) => glbUrl === address);
await awaitColour(page, wall, blue, 60);

// A room that leans is turned to its floor by three clicks, and what is clicked becomes its origin.
await change('room', { rotation: { x: 0, y: 30, z: 186 }, position: [0, 0.3, 0] });
await eventually('the leaning room', async () => (await shown()).id, (id) => id === original.id);
await openTool();
await tool.getByRole('button', { name: 'Turn to the floor' }).click();
await goTo(page, view('fly', [0, 2, 0], 0, -60));
const canvas = page.locator('#scene canvas');
const { width, height } = await canvas.boundingBox();
for (const [count, x, y] of [[1, 0.45, 0.3], [2, 0.75, 0.6], [3, 0.5, 0.8]]) {
  await page.mouse.click(x * width, y * height);
  if (count < 3) await tool.getByText(`${count} so far`).waitFor();
}
await eventually('no more clicks', () => tool.getByText('so far').count(), (count) => count === 0);
await savePicture(page, 'clean-floor');
await tool.getByRole('button', { name: 'Set the origin' }).click();
await goTo(page, view('fly', [0, 2, 0], 0, -89));
await canvas.focus();
await page.keyboard.press('Enter');
await eventually('the origin', () => tool.getByText('Click the place').count(), (count) => count === 0);
await tool.getByRole('button', { name: 'Apply' }).click();
const turned = await awaitStored('room', 'the turned file', ({ glbUrl }) => glbUrl !== address);
near(turned.rotation.x, 0, 'upright about x', 0.2);
near(Math.abs(turned.rotation.z), 180, 'upright about z', 0.2);
near(turned.position[0], 0, 'the origin is below the eye', 0.1);
near(turned.position[1], 0, 'the floor is the ground', 0.05);
near(turned.position[2], 0, 'the origin is below the eye', 0.1);
const { bounds } = (await shown()).facts;
near(bounds.max[1] - bounds.min[1], 3, 'the height of the file that stands upright', 0.4);
near(bounds.max[1], 0, 'the floor of the file, whose y points down', 0.25);

// A job that is stopped, and one that can no longer do it, change nothing; the page says so.
await openTool();
await tool.getByRole('combobox', { name: 'What stays' }).selectOption('sphere');
await savePicture(page, 'clean-sphere');
await call('POST', `/v1/spaces/${given.space}/lock`, { name: 'Blender', seconds: 10 });
await tool.waitFor({ state: 'detached' });
await panel.getByText('Blender has locked this space until').waitFor();
assert.equal((await stored('room')).glbUrl, turned.glbUrl);
await panel.getByText('Blender has locked this space until').waitFor({ state: 'hidden' });

// On a phone, in the dark.
const phone = await owner({ colorScheme: 'dark', viewport: { width: 390, height: 760 } });
await open(phone.page, given.space, view('fly', [0, 1.5, 3], 0));
await press(phone.page, 'Edit');
const small = phone.page.getByRole('complementary', { name: 'Edit' });
await openTool(phone.page, small);
await phone.page.getByRole('region', { name: 'Clean up' }).getByRole('combobox', { name: 'What stays' }).selectOption('box');
await accessible(phone.page);
await savePicture(phone.page, 'clean-phone-dark');
await finish(me, phone);
