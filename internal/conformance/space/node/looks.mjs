// A space looks as its settings say: live, whoever has written them, and as its owner moves a slider.

import assert from 'node:assert/strict';
import { accessible, awaitColour, call, colours, currentView, difference, eventually, finish, given, goTo, open, press, query, savePicture, view, visitor } from './browser.mjs';
import { edit, owner } from './owner.mjs';

const room = `/v1/spaces/${given.space}/entities/RoomInfo`;
const write = (data) => call('PUT', room, { entity_data: data });
const settings = async () => (await call('GET', room)).data.entity_data;
const { files: { nodes } } = await query('{ files { nodes { resourceKey url } } }');
const picture = nodes.find(({ resourceKey }) => resourceKey === given.picture).url;
const bright = ([r, g, b]) => r + g + b;

// A space without a look loads nothing for one; a client that writes the service's keys changes open pages.
const stranger = await visitor();
const { page } = stranger;
await open(page, given.space, view('fly', [0, 3, 5], 0));
const loads = () => stranger.requests.some((address) => /\/look-[^/]*\.js$/.test(address));
assert.equal(loads(), false, 'a space without a look loads one');
const corner = [0.05, 0.05];
const plain = (await colours(page, [corner, [0.5, 0.9]]));
await write({ backgroundColor: '#ff0000' });
await awaitColour(page, corner, [255, 0, 0], 6);
assert.equal(loads(), true);
// Effects that do not change colours keep that of the background.
await write({ backgroundColor: '#804020', framePosteffectParams: { sharpness: 1.5 } });
await awaitColour(page, corner, [128, 64, 32], 8);
await write({ backgroundColor: '#ff0000', framePosteffectParams: { brightness: 0.5 } });
await eventually('a darker picture', () => colours(page, [corner]), ([[r, g, b]]) => r > 60 && r < 200 && g < 20 && b < 20);
await write({ framePosteffectParams: { saturation: 0 } });
await eventually('a grey picture', () => colours(page, [corner]), ([[r, g, b]]) => Math.abs(r - g) < 12 && Math.abs(r - b) < 12 && r > 20);
await write({ framePosteffectParams: null, backgroundColor: '' });
await awaitColour(page, corner, plain[0], 3);

// A sky of colours, and one of a picture. A picture of another server is not loaded.
await write({ skyGradient: { top: '#0000ff', horizon: '#00ff00', ground: '#ff0000' } });
await goTo(page, view('fly', [0, 3, 5], 0, 80));
await awaitColour(page, [0.5, 0.5], [0, 0, 255], 60);
await goTo(page, view('fly', [0, 3, 5], 180, -40));
await awaitColour(page, [0.5, 0.5], [255, 0, 0], 40);
await write({ skyboxImage: 'https://elsewhere.example/sky.png' });
await awaitColour(page, [0.5, 0.5], plain[0], 3);
await write({ skyboxImage: picture, skyGradient: null });
await eventually('the picture', () => colours(page, [[0.5, 0.5]]), ([colour]) => colour.some((channel, i) => Math.abs(channel - plain[0][i]) > 40));
await savePicture(page, 'look-sky');

// What is wrong has no effect.
for (const wrong of ['x', 7, [], { brightness: 'x', contrast: {}, bloomIntensity: [], top: 1 }, true]) {
  await write({
    framePosteffectParams: wrong, vignette: wrong, skyGradient: wrong, skyboxImage: wrong === 'x' ? '' : wrong, skyboxType: wrong, backgroundColor: wrong,
    introSoundURL: wrong === 'x' ? '' : wrong, stageLightColor: wrong, movement: wrong, cameraFOV: wrong, moveSpeed: wrong, defaultCamera: wrong,
  });
}
await awaitColour(page, [0.5, 0.5], plain[0], 3);
await goTo(page, view('fly', [0, 0, 5], 0));
await currentView(page);

// The field of view, live and at the start.
await write({ cameraFOV: 100, framePosteffectParams: null, vignette: null, skyGradient: null, skyboxImage: '', backgroundColor: '', stageLightColor: '', movement: null, moveSpeed: null, defaultCamera: null, introSoundURL: '' });
await eventually('a smaller cube', () => colours(page, [[0.5, 0.5], [0.5, 0.43]]), ([middle, above]) => bright(middle) > bright(above) + 60);
await write({ cameraFOV: null });

// The owner: a slider shows its value at once, and the server hears of it once. Undo takes it back.
const author = await owner();
const { page: editing } = author;
const writes = [];
editing.on('request', (request) => {
  if (/updateEntity/.test(request.postData() ?? '')) writes.push(request.postDataJSON().variables.in.data);
});
const panel = await edit(editing, 'Edit', view('fly', [0, 0, 5], 0));
await panel.getByText('Look and movement').click();
const slider = panel.getByRole('slider', { name: 'Brightness', exact: true });
await slider.waitFor();
const middle = () => editing.screenshot({ clip: { x: 600, y: 360, width: 80, height: 80 } });
const before = await middle();
const box = await slider.boundingBox();
await editing.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
await editing.mouse.down();
for (const share of [0.4, 0.3, 0.2, 0.15]) await editing.mouse.move(box.x + box.width * share, box.y + box.height / 2);
await eventually('a darker cube', async () => difference(before, await middle()), (got) => got > 20);
assert.deepEqual(writes, [], 'nothing is saved while the slider moves');
await editing.mouse.up();
await eventually('the brightness', settings, ({ framePosteffectParams: effects }) => effects?.brightness < 0.5);
assert.equal(writes.length, 1);

// Others change other fields meanwhile: both changes stay.
const mine = (await settings()).framePosteffectParams;
await write({ framePosteffectParams: { ...mine, contrast: 1.3 } });
await eventually('the contrast of the other client', () => panel.getByRole('slider', { name: 'Contrast' }).inputValue(), (value) => value === '1.3');
await panel.getByRole('slider', { name: 'Saturation' }).fill('0.5');
const both = await eventually('both', settings, ({ framePosteffectParams: effects }) => effects.saturation === 0.5);
assert.equal(both.framePosteffectParams.contrast, 1.3);
await panel.getByRole('button', { name: 'Undo' }).click();
await eventually('the saturation taken back', settings, ({ framePosteffectParams: effects }) => (effects.saturation ?? 1) === 1);

// Each preset is one change, which visitors see.
const presets = panel.getByRole('combobox', { name: 'Look', exact: true });
for (const name of ['Daylight', 'Golden hour', 'Overcast', 'Night', 'Studio', 'Film']) {
  const { version } = (await query('query ($id: ID!) { entity(spaceId: $id, entityId: "RoomInfo") { version } }', { id: given.space })).entity;
  await presets.selectOption({ label: name });
  await eventually(name, () => query('query ($id: ID!) { entity(spaceId: $id, entityId: "RoomInfo") { version } }', { id: given.space }), ({ entity }) => entity.version === version + 1);
  await editing.waitForFunction(() => document.querySelector('#scene .editor')?.dataset.saving === 'false');
  await savePicture(editing, `look-${name.split(' ')[0].toLowerCase()}`);
}
await accessible(editing);
await presets.selectOption({ label: 'As captured' });
await awaitColour(page, corner, plain[0], 3);

// On a phone in the dark, and in a room of Gaussians.
const phone = await owner({ colorScheme: 'dark', viewport: { width: 390, height: 700 } });
await open(phone.page, given.space, view('fly', [0, 0, 5], 0));
await press(phone.page, 'Edit');
const small = phone.page.getByRole('complementary', { name: 'Edit' });
await small.getByText('Settings of the space').click();
await small.getByText('Look and movement').click();
await small.getByRole('slider', { name: 'Contrast' }).scrollIntoViewIfNeeded();
await accessible(phone.page);
await savePicture(phone.page, 'look-phone-dark');
await call('PUT', `/v1/spaces/${given.room}/entities/RoomInfo`, { entity_data: { framePosteffectParams: { toneMapping: 3, contrast: 1.1, bloomIntensity: 0.3 }, vignette: { intensity: 0.5 } } });
await open(page, given.room, view('walk', [0, 1.6, 0], 0));
await eventually('the blue wall', () => colours(page, [[0.5, 0.5]]), ([[r, , b]]) => b > r + 40);
await savePicture(page, 'look-room');
await finish(stranger, author, phone);
