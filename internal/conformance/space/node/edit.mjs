// The owner selects, changes, undoes; everything is read back over REST.

import assert from 'node:assert/strict';
import { accessible, alike, awaitColour, call, colours, currentView, eventually, finish, given, open, press, query, savePicture, touch, view, visitor } from './browser.mjs';
import { awaitEntities, awaitStored, change, edit, onScreen, owner, stored } from './owner.mjs';

const me = await owner();
const { page } = me;

// Clicks while the editor loads open and close one editor.
await open(page, given.space);
const opener = page.getByRole('button', { name: 'Edit', exact: true });
await opener.evaluate((button) => { for (let i = 0; i < 3; i++) button.click(); });
await page.getByRole('complementary', { name: 'Edit' }).waitFor();
await opener.click();
await page.getByRole('complementary', { name: 'Edit' }).waitFor({ state: 'detached' });

const panel = await edit(page);
const field = (group, axis) => panel.getByRole('group', { name: group }).getByLabel(axis, { exact: true });
const saved = () => panel.getByText('All changes are saved.').waitFor();
const near = (a, b, tolerance = 0.011) => a.every((value, i) => Math.abs(value - b[i]) < tolerance);
await accessible(page);
await savePicture(page, 'edit-empty');

// Everything can be selected without a click in the view. Escape closes the list directly after it was opened.
await press(page, 'Contents');
const list = page.getByRole('complementary', { name: 'Contents' });
await list.getByRole('button', { name: 'Select cube.glb' }).waitFor();
await page.keyboard.press('Escape');
assert.ok(await list.isHidden());

// A gate is a tool in the view: it stands on the ground ahead and faces the owner, who says where it leads.
await panel.getByRole('button', { name: 'Add a gate' }).click();
const [gate] = (await awaitEntities('the gate', (ids) => ids.length === 3)).filter((id) => id.startsWith('gate-'));
await panel.getByRole('heading', { name: 'Untitled gate' }).waitFor();
const { dynamicGate } = await stored(gate);
assert.ok(dynamicGate.position.z < 2 && Math.abs(dynamicGate.position.x) < 0.01 && Math.abs(dynamicGate.rotation.y) < 0.01, JSON.stringify(dynamicGate));
await panel.getByLabel('Title').fill('To the hub');
await panel.getByLabel('Leads to').fill(`${given.server}/${given.hub}`);
await panel.getByLabel('Leads to').press('Tab');
await awaitStored(gate, 'where it leads', ({ title, link }) => title === 'To the hub' && link === given.hub);
await panel.getByRole('heading', { name: 'To the hub' }).waitFor();
await accessible(page);
await savePicture(page, 'edit-gate');
for (let i = 0; i < 3; i++) await panel.getByRole('button', { name: 'Undo' }).click();
await awaitEntities('without the gate', (ids) => ids.length === 2);
await saved();

// The owner decides whether plugins run for visitors.
const plugins = async () => (await query('query($id: ID!) { space(id: $id) { pluginsForVisitors } }', { id: given.space })).space.pluginsForVisitors;
const allowed = panel.getByLabel('Run plugins for visitors, too');
assert.equal(await allowed.isChecked(), false);
await allowed.check();
await eventually('plugins for visitors', plugins, (on) => on);
await allowed.uncheck();
await eventually('no plugins for visitors', plugins, (on) => !on);

// A click in the view selects what is there.
await page.mouse.click(...await onScreen(page, [2, 1.5, -2]));
await panel.getByRole('heading', { name: 'cube.glb' }).waitFor();
assert.equal(await field('Position in metres', 'X').inputValue(), '2');
await savePicture(page, 'edit-selected');
await accessible(page);

// Another editor locks the space, and does not unlock it.
const lock = { name: 'Blender', seconds: 10 };
await call('POST', `/v1/spaces/${given.space}/lock`, lock);
const held = panel.getByText('Blender has locked this space until');
await held.waitFor();
const inactive = async (name) => (await panel.getByRole('button', { name, exact: true }).getAttribute('aria-disabled')) === 'true';
for (const name of ['Move', 'Delete', 'Duplicate', 'Add files']) assert.ok(await inactive(name), `${name} while another editor holds the space`);
await page.locator('#scene canvas').focus();
await page.keyboard.press('Delete');
assert.equal(await field('Position in metres', 'X').count(), 0, 'nothing to type into');
const offered = await page.evaluateHandle(() => {
  const transfer = new DataTransfer();
  transfer.items.add(new File(['bytes'], 'refused.glb'));
  return transfer;
});
await page.dispatchEvent('#scene canvas', 'drop', { dataTransfer: offered, clientX: 600, clientY: 400 });
assert.equal(await panel.getByText('refused.glb').count(), 0, 'a dropped file is not sent');
await savePicture(page, 'edit-held');
await accessible(page);
await held.waitFor({ state: 'hidden' }); // the lock expires
assert.ok(!await inactive('Move'));
assert.ok(await stored('cube'), 'nothing was deleted');

// The owner takes the picture of the space, without the editor's marks and without other visitors.
const guest = await visitor();
const body = [0.5, 0.62]; // below the dark eyes
const atBody = async () => (await colours(page, [body]))[0];
const empty = await atBody();
await open(guest.page, given.space, view('fly', [0, 1.5, 0], 180));
await eventually('the guest in the view', atBody, (colour) => !alike(colour, empty, 12));
await page.getByRole('button', { name: 'Take the space\'s picture' }).click();
await panel.getByText('This view is the picture of the space now.').waitFor();
const screenshot = async () => {
  const response = await fetch(`${given.server}/v1/spaces/${given.space}/screenshot`, { headers: { Authorization: `Bearer ${given.key}` } });
  return { type: response.headers.get('Content-Type'), bytes: Buffer.from(await response.arrayBuffer()) };
};
const isJPEG = ({ type, bytes }) => type === 'image/jpeg' && bytes.length > 2000;
const taken = await eventually('the picture of the space', screenshot, isJPEG);
const [atGuest, atCube] = await page.evaluate(async ([base64, places]) => {
  const image = new Image();
  image.src = `data:image/jpeg;base64,${base64}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return places.map(([x, y]) => [...context.getImageData(Math.round(x * image.width), Math.round(y * image.height), 1, 1).data.slice(0, 3)]);
}, [taken.bytes.toString('base64'), [body, [0.65, 0.5]]]);
assert.ok(atCube[0] > 200 && atCube[1] < 60 && atCube[2] > 200, `the cube in the picture: got ${atCube}`);
assert.ok(alike(atGuest, empty, 12), `where the guest stands: got ${atGuest}, want ${empty}`);
await eventually('the guest in the view again', atBody, (colour) => !alike(colour, empty, 12));
await guest.context.close();
await page.mouse.click(...await onScreen(page, [2, 1.5, -2]));
await panel.getByRole('heading', { name: 'cube.glb' }).waitFor();

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
await savePicture(page, 'edit-moved');
await panel.getByRole('button', { name: 'Scale' }).click();
await drag([2, 1.25, -2], [2.5, 1.25, -2]);
const { scale } = await awaitStored('cube', 'scaled by its handle', (data) => data.scale[0] > 1.05);
assert.ok(near(scale, [scale[0], scale[0], scale[0]]), `scaled evenly: got ${scale}`);
await panel.getByRole('button', { name: 'Turn' }).click();
await drag([2.45, 1.7, -2], [2.63, 1.25, -2]);
const turned = await awaitStored('cube', 'turned by its handle', ({ rotation }) => Math.abs(rotation.y - 45) + Math.abs(rotation.x) + Math.abs(rotation.z) > 3);
assert.deepEqual([turned.position, turned.scale], [position, scale]);
assert.deepEqual((await currentView(page)).eye, before.eye, 'the view stands still while handles are dragged');

// By touch: a tap selects, and a finger drags a handle.
await page.locator('#scene canvas').focus();
await page.keyboard.press('Escape');
await panel.getByRole('heading', { name: 'cube.glb' }).waitFor({ state: 'detached' });
const cube = await onScreen(page, position);
await touch(page, [cube, cube]);
await panel.getByRole('heading', { name: 'cube.glb' }).waitFor();
await panel.getByRole('button', { name: 'Move' }).click();
await touch(page, [await onScreen(page, [position[0] + 0.5, ...position.slice(1)]), await onScreen(page, [position[0] + 1, ...position.slice(1)])]);
await awaitStored('cube', 'moved by a finger', (data) => Math.abs(data.position[0] - position[0] - 0.5) < 0.1);
await panel.getByRole('button', { name: 'Undo' }).click();
await awaitStored('cube', 'moved back', (data) => near(data.position, position));
assert.deepEqual((await currentView(page)).eye, before.eye, 'the view stands still while a finger drags');

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
await savePicture(page, 'edit-stacked');

await page.locator('#scene canvas').focus();
await page.keyboard.press('Delete');
await awaitEntities('without the copy', (ids) => !ids.includes(copy));
// Both show one file; the other one stays.
const { width, height, x: left, y: top } = await page.locator('#scene').boundingBox();
const [cubeX, cubeY] = await onScreen(page, [position[0], 0.5, -2]);
await awaitColour(page, [(cubeX - left) / width, (cubeY - top) / height], [255, 0, 255]);
await page.keyboard.press('Control+z');
await awaitStored(copy, 'restored', (data) => near(data.position, [position[0], 1.5, -2]));
await saved();

// A file that is dropped into the view stands there, once it is ready.
const model = [...new Uint8Array(await (await fetch((await stored('cube')).glbUrl)).arrayBuffer())];
const dropped = await page.evaluateHandle((bytes) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([new Uint8Array(bytes)], 'dropped.glb'));
  return transfer;
}, model);
const [clientX, clientY] = await onScreen(page, [1, 0, -1]);
for (const name of ['dragover', 'drop']) {
  await page.dispatchEvent('#scene canvas', name, { dataTransfer: dropped, clientX, clientY });
}
const [added] = (await awaitEntities('the dropped file', (ids) => ids.length === 4)).filter((id) => id.startsWith('file-'));
const standing = await awaitStored(added, 'with its base where it was dropped', ({ position }) => near(position, [1, 0.5, -1], 0.1));
assert.match(standing.glbUrl, /dropped\.glb$/);
await panel.getByRole('heading', { name: 'dropped.glb' }).waitFor();
await saved();
await savePicture(page, 'edit-dropped');

// It gets a name, and is hidden from visitors; the list of the owner still has it.
await panel.getByLabel('Name', { exact: true }).fill('A cube');
await panel.getByLabel('Hide from visitors').check();
await awaitStored(added, 'its name, hidden', ({ title, hidden }) => title === 'A cube' && hidden === true);
await panel.getByRole('heading', { name: 'A cube' }).waitFor();
await accessible(page);
await savePicture(page, 'edit-hidden');
await press(page, 'Contents');
await page.getByRole('complementary', { name: 'Contents' }).getByText('3D model, hidden').waitFor();
await page.keyboard.press('Escape');
await panel.getByRole('button', { name: 'Undo' }).click();
await awaitStored(added, 'shown again', ({ hidden }) => hidden === false);
for (let i = 0; i < 2; i++) await panel.getByRole('button', { name: 'Undo' }).click();
await awaitEntities('without the dropped file', (ids) => ids.length === 3);
await panel.getByRole('button', { name: 'Redo' }).click();
await awaitStored(added, 'on its base again', ({ position }) => near(position, standing.position));
await panel.getByRole('button', { name: 'Undo' }).click();
await awaitEntities('without it', (ids) => ids.length === 3);

// Files that are dropped together stand beside each other.
const several = await page.evaluateHandle((bytes) => {
  const transfer = new DataTransfer();
  for (const name of ['left.glb', 'right.glb']) transfer.items.add(new File([new Uint8Array(bytes)], name));
  return transfer;
}, model);
for (const name of ['dragover', 'drop']) await page.dispatchEvent('#scene canvas', name, { dataTransfer: several, clientX, clientY });
const pair = (await awaitEntities('both files', (ids) => ids.length === 5)).filter((id) => id.startsWith('file-'));
await eventually('both beside each other', () => Promise.all(pair.map(stored)), ([a, b]) => (
  Math.abs(a.position[0] - b.position[0]) >= 1.2 && [a, b].every(({ position }) => Math.abs(position[1] - 0.5) < 0.1)));
await saved();
await savePicture(page, 'edit-beside');
for (let i = 0; i < 2; i++) await panel.getByRole('button', { name: 'Undo' }).click();
await awaitEntities('without both files', (ids) => ids.length === 3);
await page.locator('input[type="file"][multiple]').setInputFiles({ name: 'note.exe', mimeType: 'text/plain', buffer: Buffer.from('no') });
await panel.getByText('Portico cannot read this kind of file').waitFor();
await accessible(page);
await panel.getByRole('button', { name: 'Remove the message about note.exe' }).click();

// Somebody else changes the same field while a change is sent: the owner decides.
const select = async (name) => {
  if (await panel.getByRole('heading', { name }).count() > 0) return;
  await press(page, 'Contents');
  await page.getByRole('button', { name: `Select ${name}` }).first().click();
  await page.keyboard.press('Escape');
};
await select('picture.png');
const clash = async (mine, theirs) => {
  let late = true;
  await page.route('**/graphql', async (route) => {
    if (late && route.request().postData().includes('updateEntity')) {
      late = false;
      await change('picture', { position: [theirs, 1.5, -2] });
    }
    return route.continue();
  });
  await field('Position in metres', 'X').fill(String(mine));
  await panel.getByRole('heading', { name: 'Changed elsewhere' }).waitFor();
  await page.unroute('**/graphql');
};
await clash(-1.5, -1);
assert.match(await panel.getByRole('alert').filter({ hasText: 'Changed elsewhere' }).textContent(), /Yours.*-1\.5, 1\.5, -2.*Elsewhere.*-1, 1\.5, -2/);
await savePicture(page, 'edit-conflict');
await accessible(page);
await panel.getByRole('button', { name: 'Take theirs' }).click();
assert.equal(await field('Position in metres', 'X').inputValue(), '-1');
await clash(-2.5, -3);
await panel.getByRole('button', { name: 'Keep mine' }).click();
await awaitStored('picture', 'mine', (data) => near(data.position, [-2.5, 1.5, -2]));
await saved();

// Other fields are merged without a question.
await change('picture', { title: 'A picture' });
await field('Position in metres', 'Y').fill('2');
await awaitStored('picture', 'both changes', (data) => data.title === 'A picture' && data.position[1] === 2);
await saved();

// A refused change is taken back. The panel says what to do, and it can be tried again.
const refusal = { message: 'Too many requests', extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 7 } };
await page.route('**/graphql', (route) => (route.request().postData().includes('updateEntity')
  ? route.fulfill({ status: 429, contentType: 'application/graphql-response+json', headers: { 'Retry-After': '7' }, body: JSON.stringify({ errors: [refusal] }) })
  : route.fallback()));
await field('Position in metres', 'Y').fill('3');
await panel.getByText('Try again in 7 seconds.').waitFor();
assert.equal(await field('Position in metres', 'Y').inputValue(), '2');
await page.unroute('**/graphql');
await panel.getByRole('button', { name: 'Redo' }).click();
await awaitStored('picture', 'tried again', (data) => data.position[1] === 3);

const cookies = await me.context.cookies();
await me.context.clearCookies();
await field('Position in metres', 'Y').fill('1');
await panel.getByText('You are signed out').waitFor();
assert.equal(await field('Position in metres', 'Y').inputValue(), '3');
await savePicture(page, 'edit-signed-out');
await me.context.addCookies(cookies);
await panel.getByRole('button', { name: 'Redo' }).click();
await awaitStored('picture', 'signed in again', (data) => data.position[1] === 1);
await saved();
// Chromium and this test report the two answers that refuse.
for (const problem of me.problems.splice(0)) assert.match(problem, /status (of )?4(29|01)/);

// Strangers have no button to edit, and their mutations are refused.
const stranger = await visitor();
await open(stranger.page, given.space);
assert.equal(await stranger.page.getByRole('button', { name: 'Edit' }).count(), 0);
const refused = await stranger.page.evaluate(async (spaceId) => {
  const query = 'mutation($in: DeleteEntityInput!) { deleteEntity(input: $in) { deletedEntityId } }';
  const body = JSON.stringify({ query, variables: { in: { spaceId, entityId: 'cube' } } });
  return (await (await fetch('/graphql', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })).json()).errors[0].extensions.code;
}, given.space);
assert.equal(refused, 'UNAUTHENTICATED');
stranger.problems.splice(0).forEach((problem) => assert.match(problem, /status (of )?401/));

await page.setViewportSize({ width: 390, height: 800 });
await page.emulateMedia({ colorScheme: 'dark' });
// On a phone the editor leaves most of the view in sight.
const share = (await panel.boundingBox()).height / (await page.locator('#scene').boundingBox()).height;
assert.ok(share < 0.36, `the editor has ${share} of the view`);
await press(page, 'Contents');
await savePicture(page, 'edit-narrow-contents');
await page.getByRole('button', { name: 'Select cube.glb' }).first().click();
await panel.getByRole('heading', { name: 'cube.glb' }).waitFor();
assert.equal(await page.evaluate(() => document.activeElement.matches('.editor input')), true);
await accessible(page);
await savePicture(page, 'edit-narrow-dark');

// The static gates of a hub have numbers and walls, and say that they lead nowhere.
await page.setViewportSize({ width: 1280, height: 800 });
await open(page, given.hub);
await press(page, 'Edit');
await press(page, 'Contents');
const row = page.getByRole('complementary', { name: 'Contents' }).getByRole('listitem').filter({ hasText: 'Gate 1, left wall' });
assert.match(await row.textContent(), /leads nowhere yet/);
await row.getByRole('button', { name: 'Select Gate 1, left wall' }).waitFor();
assert.equal(await page.getByRole('button', { name: /^Select Gate \d, (left|right) wall$|^Select Gate \d, wall ahead$/ }).count(), 7);
await savePicture(page, 'edit-hub');

// Whoever has just made a space sets the first view, says who can see the space, and copies its link, in place.
await page.goto(`${given.server}/${given.space}?new${view('orbit', [2, 1.5, 5], 10)}`);
const made = page.getByRole('complementary', { name: 'Here is your space' });
await made.waitFor();
assert.equal(new URL(page.url()).search, '', 'a reload does not show it again');
await page.locator('#scene[data-state="ready"]').waitFor();
await accessible(page);
await savePicture(page, 'new-space');
await made.getByRole('button', { name: 'Set the first view' }).click();
await made.getByText('Visitors start here').waitFor();
const room = async () => (await query('query($id: ID!) { entity(spaceId: $id, entityId: "RoomInfo") { data } }', { id: given.space })).entity.data;
const { start } = await room();
assert.ok(near(start.position, [2, 1.5, 5]) && start.mode === 'orbit', `the first view: got ${JSON.stringify(start)}`);
const privacy = async () => (await query('query($id: ID!) { space(id: $id) { privacy } }', { id: given.space })).space.privacy;
await made.getByLabel('Who can see this?').selectOption({ label: 'Everybody with the link' });
await made.getByText('Saved.').waitFor();
assert.equal(await privacy(), 'LINK_ONLY');
await made.getByLabel('Who can see this?').selectOption({ label: 'Everybody, also in the gallery' });
await eventually('public again', privacy, (now) => now === 'PUBLIC');
await me.context.grantPermissions(['clipboard-read', 'clipboard-write']);
await made.getByRole('button', { name: 'Copy link' }).click();
await made.getByText('The link is copied.', { exact: true }).waitFor();
assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${given.server}/${given.space}`);
await page.setViewportSize({ width: 390, height: 800 });
await savePicture(page, 'new-space-narrow');
await accessible(page);
await made.getByRole('button', { name: 'Close' }).click();
await made.waitFor({ state: 'detached' });
await page.setViewportSize({ width: 1280, height: 800 });
await open(stranger.page, given.space);
const first = await currentView(stranger.page);
assert.ok(near(first.eye, [2, 1.5, 5], 0.05), `where visitors start: got ${first.eye}`);

// On paper there is the picture of the space, not the canvas, which browsers print black.
await stranger.page.emulateMedia({ media: 'print' });
assert.ok(await stranger.page.locator('#scene img.poster').isVisible());
assert.ok(await stranger.page.locator('#scene canvas').isHidden() && await stranger.page.locator('#scene .toolbar').isHidden());
await stranger.page.emulateMedia({ media: null });

// An empty space of one's own asks for a capture, and takes it without a further step. Others are told that it is empty.
await open(page, given.empty);
await page.getByRole('heading', { name: 'Drop a capture here' }).waitFor();
await page.getByRole('button', { name: 'Choose files' }).waitFor();
await accessible(page);
await savePicture(page, 'empty-own');
await open(stranger.page, given.empty);
await stranger.page.getByText('This space is empty.').waitFor();
assert.equal(await stranger.page.getByText('Drop a capture here').count(), 0);
const firstFile = await page.evaluateHandle((bytes) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([new Uint8Array(bytes)], 'first.glb'));
  return transfer;
}, model);
for (const name of ['dragover', 'drop']) await page.dispatchEvent('#scene canvas', name, { dataTransfer: firstFile, clientX: 640, clientY: 400 });
await page.getByRole('complementary', { name: 'Edit' }).getByRole('heading', { name: 'first.glb' }).waitFor();
await page.getByText('Drop a capture here').waitFor({ state: 'detached' });
await stranger.page.getByText('This space is empty.').waitFor({ state: 'hidden' });
await finish(me, stranger);
