// The owner selects, changes, undoes; everything is read back over REST.

import assert from 'node:assert/strict';
import { accessible, currentView, finish, keep } from './browser.mjs';
import { awaitEntities, awaitStored, edit, onScreen, owner, stored } from './owner.mjs';

const me = await owner();
const { page } = me;
const panel = await edit(page);
const field = (group, axis) => panel.getByRole('group', { name: group }).getByLabel(axis, { exact: true });
const saved = () => panel.getByText('All changes are saved.').waitFor();
const near = (a, b) => a.every((value, i) => Math.abs(value - b[i]) < 0.011);
await accessible(page);
await keep(page, 'edit-empty');

// A click in the view selects what is there.
await page.mouse.click(...await onScreen(page, [2, 1.5, -2]));
await panel.getByRole('heading', { name: 'cube.glb' }).waitFor();
assert.equal(await field('Position in metres', 'X').inputValue(), '2');
await keep(page, 'edit-selected');
await accessible(page);

// Numbers are saved at a pause, and one step undoes them.
await field('Position in metres', 'X').fill('1');
await field('Position in metres', 'Y').fill('1.25');
await awaitStored('cube', 'moved by numbers', ({ position }) => near(position, [1, 1.25, -2]));
await field('Rotation in degrees', 'Y').fill('45');
await awaitStored('cube', 'turned', ({ rotation }) => Math.abs(rotation.y - 45) < 0.01);
await field('Scale', 'X').fill('2');
await awaitStored('cube', 'scaled, with its proportions', ({ scale }) => near(scale, [2, 2, 2]));
await saved();
await page.keyboard.press('Control+z');
await awaitStored('cube', 'scaled back', ({ scale }) => near(scale, [1, 1, 1]));
await panel.getByRole('button', { name: 'Undo' }).click();
await awaitStored('cube', 'turned back', ({ rotation }) => rotation.y === 0);
await page.keyboard.press('Control+Shift+Z');
await awaitStored('cube', 'turned again', ({ rotation }) => Math.abs(rotation.y - 45) < 0.01);

/** Drags the handles in the view from one place of the space to another. */
const drag = async (from, to) => {
  await page.mouse.move(...await onScreen(page, from));
  await page.mouse.down();
  await page.mouse.move(...await onScreen(page, from.map((value, i) => (value + to[i]) / 2)), { steps: 3 });
  await page.mouse.move(...await onScreen(page, to), { steps: 3 });
  await page.mouse.up();
};
const before = await currentView(page);
await panel.getByRole('button', { name: 'Move' }).click();
await drag([1.5, 1.25, -2], [2.5, 1.25, -2]);
const { position } = await awaitStored('cube', 'moved by its handle', (data) => Math.abs(data.position[0] - 2) < 0.1);
assert.ok(near(position.slice(1), [1.25, -2]), `moved along one axis: got ${position}`);
await keep(page, 'edit-moved');
await panel.getByRole('button', { name: 'Scale' }).click();
await drag([2, 1.25, -2], [2.5, 1.25, -2]);
const { scale } = await awaitStored('cube', 'scaled by its handle', (data) => data.scale[0] > 1.05);
assert.ok(near(scale, [scale[0], scale[0], scale[0]]), `scaled evenly: got ${scale}`);
await panel.getByRole('button', { name: 'Turn' }).click();
await drag([2.45, 1.7, -2], [2.63, 1.25, -2]);
const turned = await awaitStored('cube', 'turned by its handle', ({ rotation }) => Math.abs(rotation.y - 45) + Math.abs(rotation.x) + Math.abs(rotation.z) > 3);
assert.deepEqual([turned.position, turned.scale], [position, scale]);
assert.deepEqual((await currentView(page)).eye, before.eye, 'the view stands still while handles are dragged');

// On the ground at height 0, then upon another thing.
await field('Scale', 'X').fill('1');
for (const axis of ['X', 'Y', 'Z']) await field('Rotation in degrees', axis).fill('0');
await page.locator('#scene canvas').focus();
await page.keyboard.press('g');
await awaitStored('cube', 'on the ground', (data) => near(data.position, [position[0], 0.5, -2]));

await page.keyboard.press('Control+d');
const [copy] = (await awaitEntities('the copy', (ids) => ids.length === 3)).filter((id) => id.startsWith('copy-'));
assert.equal((await stored(copy)).glbUrl, (await stored('cube')).glbUrl);
await field('Position in metres', 'X').fill(String(position[0]));
await field('Position in metres', 'Y').fill('4');
await panel.getByRole('button', { name: 'Set on the ground' }).click();
await awaitStored(copy, 'upon the other', (data) => near(data.position, [position[0], 1.5, -2]));
await keep(page, 'edit-stacked');

await page.locator('#scene canvas').focus();
await page.keyboard.press('Delete');
await awaitEntities('without the copy', (ids) => !ids.includes(copy));
await page.keyboard.press('Control+z');
await awaitStored(copy, 'restored', (data) => near(data.position, [position[0], 1.5, -2]));
await saved();
await finish(me);
