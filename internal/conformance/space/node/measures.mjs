// Lengths in a room whose walls are 8 m apart and 3 m high, a scale that is set by one, and visitors who
// stay where their owner lets them.

import assert from 'node:assert/strict';
import { accessible, call, currentView, eventually, finish, given, open, press, query, savePicture, view, visitor } from './browser.mjs';
import { owner } from './owner.mjs';

const path = (space, id) => `/v1/spaces/${space}/entities/${id}`;
const write = (space, data) => call('PUT', path(space, 'RoomInfo'), { entity_data: data });
const entities = async (space = given.space) => (await call('GET', `/v1/spaces/${space}/entities`)).data.entities;
const metres = async (panel) => Number((await panel.getByRole('status').first().textContent()).match(/^[\d.]+/)?.[0] ?? NaN);
const near = (got, want, what, tolerance = 0.01) => assert.ok(Math.abs(got - want) <= tolerance, `${what}: got ${got}, want ${want}`);

const countOf = async (page) => Number(await page.locator('#scene .measure').getAttribute('data-points'));

/** Moves the view, and waits until the page has heard of it. */
const aim = (page, fragment) => page.evaluate((hash) => new Promise((resolve) => {
  addEventListener('hashchange', resolve, { once: true });
  location.hash = hash;
}).then(() => {}), fragment);

/** Clicks a place of the view, in shares of it, and waits for the point. */
async function point(page, x, y) {
  const before = await countOf(page);
  const { width, height } = page.viewportSize();
  await page.mouse.click(x * width, y * height);
  await eventually('a point', () => countOf(page), (now) => now !== before);
}

// Visitors do not measure, unless the owner lets them.
const stranger = await visitor({ viewport: { width: 1280, height: 720 }, locale: 'en-GB' });
const { page } = stranger;
await open(page, given.space, view('fly', [0, 1.5, 0], 0));
assert.equal(await page.getByRole('button', { name: 'Measure' }).count(), 0);
await write(given.space, { allowMeasure: true });
await page.getByRole('button', { name: 'Measure' }).click();
const panel = page.getByRole('complementary', { name: 'Measure' });
assert.equal(await panel.getByRole('button', { name: 'Keep' }).count(), 0);

// From wall to wall, and seen from aside, where the middles of Gaussians would mislead.
const result = () => metres(panel);
await aim(page, view('fly', [0, 1.5, 0], -90));
await point(page, 0.5, 0.45);
await aim(page, view('fly', [0, 1.5, 0], 90));
await point(page, 0.5, 0.45);
near(await result(), 8, 'wall to wall');
await panel.getByRole('combobox', { name: 'What to measure' }).selectOption('height');
await panel.getByRole('button', { name: 'Clear' }).click();
await aim(page, view('fly', [0, 1.5, 0], 0, -40));
await point(page, 0.5, 0.5);
await aim(page, view('fly', [0, 1.5, 0], 0, 40));
await point(page, 0.5, 0.5);
near(await result(), 3, 'floor to ceiling');
await panel.getByRole('combobox', { name: 'Unit' }).selectOption('foot');
assert.match(await panel.getByRole('status').first().textContent(), /^9 ft 10\.\d in$/);
await panel.getByRole('combobox', { name: 'Unit' }).selectOption('metre');

// By the keyboard: an angle on the floor, below the eye.
await panel.getByRole('combobox', { name: 'What to measure' }).selectOption('angle');
await panel.getByRole('button', { name: 'Clear' }).click();
const canvas = page.locator('#scene canvas');
const circles = page.locator('#scene .measure-lines circle');
for (const [count, yaw, pitch] of [[1, 0, -60], [2, 0, -90], [3, -90, -60]]) {
  await aim(page, view('fly', [0, 1.5, 0], yaw, Math.max(-89, pitch)));
  await canvas.press('Enter');
  await eventually('a point', () => countOf(page), (now) => now === count);
}
near(parseFloat(await panel.getByRole('status').first().textContent()), 90, 'angle', 2.5);
await accessible(page);
await savePicture(page, 'measure');
await page.keyboard.press('Escape');
assert.equal(await panel.isVisible(), false);
await eventually('no points', () => circles.count(), (count) => count === 0);

// The owner keeps a measurement, which visitors see, and sets the scale by it.
const author = await owner({ locale: 'en-GB' });
const { page: editing } = author;
await open(editing, given.space, view('fly', [0, 1.5, 0], -90));
await editing.getByRole('button', { name: 'Measure' }).click();
const tool = editing.getByRole('complementary', { name: 'Measure' });
await point(editing, 0.5, 0.45);
await aim(editing, view('fly', [0, 1.5, 0], 90));
await point(editing, 0.5, 0.45);
await tool.getByRole('button', { name: 'Keep' }).click();
const kept = await eventually('the measurement', async () => (await entities()).find(({ entity_type: type }) => type === 'MeasurementEntity'), (one) => one !== undefined);
assert.equal(kept.entity_data.kind, 'distance');
near(Math.abs(kept.entity_data.points[0][0] - kept.entity_data.points[1][0]), 8, 'kept');
await aim(page, view('fly', [0, 1.5, 3], 0));
await eventually('the measurement of the owner', () => page.locator('#scene .measure-lines text').allTextContents(), (texts) => texts.some((text) => /^8\.0\d m$|^7\.99 m$/.test(text)));
await savePicture(page, 'measure-kept');
await aim(editing, view('fly', [0, 1.5, 0], -90));
await point(editing, 0.5, 0.4);
await aim(editing, view('fly', [0, 1.5, 0], 90));
await point(editing, 0.5, 0.4);
const add = (id, entity) => call('POST', `/v1/spaces/${given.space}/entities`, { entity_id: id, ...entity });
await add('mark', { entity_type: 'AnnotationEntity', entity_data: { title: 'On the wall', position: [4, 1, 0], camera: { position: [0, 1, 0], target: [4, 1, 0] } } });
await add('start', { entity_type: 'SpawnPoint', entity_data: { position: [0, 0, 2] } });
await tool.getByRole('spinbutton', { name: 'True length' }).fill('4');
await accessible(editing);
await savePicture(editing, 'measure-owner');
await tool.getByRole('button', { name: 'Scale the capture' }).click();
const capture = await eventually('the scale', async () => (await entities()).find(({ entity_type: type }) => type === 'UserModelEntity'), ({ entity_data: data }) => [data.scale].flat()[0] < 0.9);
near(capture.entity_data.scale[0], 0.5, 'scale', 0.001);
// What stands in the capture is where it was seen, after the same version of the space.
const after = Object.fromEntries((await entities()).map(({ entity_id: id, entity_data: data }) => [id, data]));
assert.deepEqual([after.mark.position, after.mark.camera.target, after.start.position], [[2, 0.5, 0], [2, 0.5, 0], [0, 0, 1]]);
near(Math.abs(after[kept.entity_id].points[0][0] - after[kept.entity_id].points[1][0]), 4, 'the kept measurement');
const { spaceVersions } = await query('query ($id: ID!) { spaceVersions(spaceId: $id, first: 1) { nodes { updated isChangeSet } } }', { id: given.space });
assert.deepEqual(spaceVersions.nodes, [{ updated: 4, isChangeSet: true }]);
for (const id of ['mark', 'start']) await call('DELETE', path(given.space, id));
await tool.getByRole('button', { name: /^Remove Distance/ }).click();
await eventually('no measurement', () => page.locator('#scene .measure-lines text').count(), (count) => count === 0);
await call('PUT', path(given.space, capture.entity_id), { entity_data: { scale: [1, 1, 1] } });

// A border is not left, by walking and by links; it is drawn on the floor.
const border = [[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]];
await write(given.space, { movement: { border, eyeHeight: 1 }, moveSpeed: 3 });
await open(page, given.space, view('walk', [0, 1, 0], 0));
await eventually('eyes at a metre', () => currentView(page), ({ mode, eye }) => mode === 'walk' && Math.abs(eye[1] - 1) < 0.2);
await canvas.focus();
await page.keyboard.down('KeyW');
await eventually('the border', () => currentView(page), ({ eye }) => Math.abs(eye[2] + 1) < 0.01);
await page.keyboard.up('KeyW');
await aim(page, view('fly', [3, 1.5, 0], 0));
await eventually('the edge', () => currentView(page), ({ eye }) => Math.abs(eye[0] - 1) < 0.01);
await aim(page, view('fly', [0, 1.5, 1], 0, -35));
await savePicture(page, 'border');

// Only one mode, live, and limits of orbiting.
await write(given.object, { movement: { modes: ['orbit'], orbit: { nearest: 2, farthest: 4, lowest: 0, highest: 60 } } });
await open(page, given.object);
assert.equal(await page.getByRole('button', { name: 'Fly' }).isVisible(), false);
await aim(page, view('fly', [0, -3, 5], 0, 40, 10));
const limited = await eventually('limits', () => currentView(page), ({ mode }) => mode === 'orbit');
assert.ok(limited.pitch <= 0, `from above: got ${limited.pitch}`);
await write(given.object, { movement: { modes: ['fly', 'orbit'] } });
await page.getByRole('button', { name: 'Fly' }).waitFor();
await write(given.object, { movement: { modes: ['fly'] } });
await eventually('flying', () => currentView(page), ({ mode }) => mode === 'fly');

// The owner draws a border by clicks, on a phone too, and is free while editing.
const phone = await owner({ colorScheme: 'dark', viewport: { width: 390, height: 700 } });
await open(phone.page, given.space, view('fly', [0, 1.5, 0], 0, -60));
await press(phone.page, 'Edit');
const editor = phone.page.getByRole('complementary', { name: 'Edit' });
await editor.getByText('Settings of the space').click();
await editor.getByText('Look and movement').click();
await editor.getByRole('button', { name: 'Remove the border' }).click();
await editor.getByRole('button', { name: 'Draw a border' }).click();
for (const [x, y] of [[60, 200], [330, 200], [330, 330], [60, 330]]) await phone.page.mouse.click(x, y);
await editor.getByText('4 so far').waitFor();
await savePicture(phone.page, 'border-phone-dark');
await editor.getByRole('button', { name: 'Close the border' }).click();
const drawn = await eventually('the border', async () => (await query('query ($id: ID!) { entity(spaceId: $id, entityId: "RoomInfo") { data } }', { id: given.space })).entity.data, ({ movement }) => movement.border?.length === 4);
for (const [, y] of drawn.movement.border) near(y, 0, 'on the floor', 0.05);
assert.equal(drawn.movement.eyeHeight, 1);
await finish(stranger, author, phone);
