// Models, pictures, videos and sounds stand where their entities say.

import assert from 'node:assert/strict';
import { awaitColour, call, eventually, finish, given, goTo, open, savePicture, upload, view, visitor } from './browser.mjs';
import { dracoSquare, ktx2Square, repeatedSquares } from './compressed.mjs';

const stranger = await visitor();
const { page } = stranger;
const middle = [0.5, 0.45];
const magenta = [255, 0, 255];

await open(page, given.space, view('fly', [2, 1.5, 1], 0));
await awaitColour(page, middle, magenta);
await goTo(page, view('fly', [-2, 1.5, 1], 0));
await awaitColour(page, middle, [0, 200, 200]);

// Without a start, the view shows everything.
await open(page, given.space);
await savePicture(page, 'things');

const sound = page.waitForRequest((request) => request.url().endsWith('.wav'));
await page.getByRole('button', { name: 'Sound' }).click();
await sound;

// A video is recorded here, because the browser can.
const recorded = await page.evaluate(async () => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [160, 120];
  const context = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' });
  const chunks = [];
  recorder.ondataavailable = (event) => chunks.push(event.data);
  const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
  recorder.start();
  for (let i = 0; i < 20; i++) {
    context.fillStyle = '#ff8000';
    context.fillRect(0, 0, 160, 120);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  recorder.stop();
  await stopped;
  return [...new Uint8Array(await new Blob(chunks).arrayBuffer())];
});
const film = await upload('film.webm', 'video/webm', new Uint8Array(recorded));
await call('POST', `/v1/spaces/${given.space}/entities`, {
  entity_id: 'film', resource_key: film, entity_data: { position: [0, 1.5, 0], rotation: { x: 0, y: 90, z: 0 }, scale: 2 },
});
// It comes while the visitor is here. It is turned, so it is seen from the side.
await goTo(page, view('fly', [3, 1.5, 0], 90));
await awaitColour(page, middle, [255, 128, 0], 60);
await eventually('the list', () => page.locator('#scene-contents').textContent(), (text) => text.includes('Video'));
await savePicture(page, 'video');

// A gate shows a video in its opening, and its own title above.
const { data: { entities } } = await call('GET', `/v1/spaces/${given.space}/entities`);
const position = { x: 0, y: 0, z: 20 };
await call('POST', `/v1/spaces/${given.space}/entities`, { entity_type: 'DynamicGate', entity_data: {
  title: 'A film', link: 'https://elsewhere.example/', videoURL: entities.find(({ entity_id: id }) => id === 'film').entity_data.glbUrl,
  dynamicGate: { position, rotation: { x: 0, y: 0, z: 0 } },
} });
await goTo(page, view('fly', [0, 1.5, 22], 0));
await awaitColour(page, middle, [255, 128, 0], 60);
await savePicture(page, 'gate-video');

// Decoders are loaded when a model needs them, and its colours are right.
const decoders = () => stranger.requests.filter((address) => /worker|wasm/.test(address)).length;
assert.equal(decoders(), 0, 'decoders without a model that needs one');
const models = [
  ['draco', [0, 0, 1], await dracoSquare([0, 0, 1])],
  ['etc1s', [0, 1, 0], await ktx2Square([0, 1, 0], false)],
  ['uastc', [1, 0, 0], await ktx2Square([1, 0, 0], true)],
];
for (const [i, [name, colour, bytes]] of models.entries()) {
  const x = 6 + 3 * i;
  await call('POST', `/v1/spaces/${given.space}/entities`, {
    entity_id: name, resource_key: await upload(`${name}.glb`, 'model/gltf-binary', bytes), entity_data: { position: [x, 1.5, 0] },
  });
  await page.evaluate((hash) => { location.hash = hash; }, view('fly', [x, 1.5, 1], 0));
  await awaitColour(page, middle, colour.map((channel) => channel * 255));
}
assert.equal(decoders(), 4, 'two workers and their programs');

// A model of one repeated mesh is framed around all of its places, in a space that shows nothing else.
for (const [name, colour, isCompressed] of [['plain', [0, 1, 0], false], ['meshopt', [0, 0, 1], true]]) {
  const key = await upload(`${name}.glb`, 'model/gltf-binary', await repeatedSquares(colour, isCompressed));
  await call('POST', `/v1/spaces/${given.repeated[name]}/entities`, { entity_id: name, resource_key: key, entity_data: {} });
  await open(page, given.repeated[name]);
  for (const x of [0.25, 0.5, 0.82]) await awaitColour(page, [x, 0.5], colour.map((channel) => channel * 255));
  await savePicture(page, `repeated-${name}`);
}
await finish(stranger);
