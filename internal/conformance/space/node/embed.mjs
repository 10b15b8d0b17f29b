// A page of another site shows a space by the element portico-space, and talks to it.

import assert from 'node:assert/strict';
import { accessible, call, eventually, finish, given, savePicture, visitor } from './browser.mjs';

const put = (id, type, data) => call('POST', `/v1/spaces/${given.space}/entities`, { entity_id: id, entity_type: type, entity_data: data });
const camera = { position: [0, 1.6, 6], target: [0, 1.5, 0] };
await put('fountain', 'AnnotationEntity', { title: 'Fountain', position: [0, 1.5, 0], text: 'Of marble.', camera });
await put('secret', 'AnnotationEntity', { title: 'Secret', position: [0, 1.5, 0], hidden: true });
await put('tour', 'TourEntity', { title: 'Around', stops: [
  { annotation: 'fountain', seconds: 60, flight: 0.5 }, { camera: { position: [5, 1.6, 0], target: [0, 1.5, 0] }, seconds: 60, flight: 0.5 },
] });

const stranger = await visitor({ reducedMotion: 'reduce' }, [given.host]);
const { page } = stranger;
await page.goto(`${given.host}/element?embed=${encodeURIComponent(`/${given.space}`)}`);
// What happens, as the page around the frame learns it.
await page.evaluate(() => {
  window.happened = [];
  window.element = document.querySelector('portico-space');
  for (const name of ['ready', 'mode', 'annotation', 'tour']) {
    window.element.addEventListener(name, ({ detail }) => window.happened.push([name, detail]));
  }
});
const happened = (name) => page.evaluate((name) => window.happened.filter(([one]) => one === name).map(([, detail]) => detail), name);
const ask = (method, ...values) => page.evaluate(([method, values]) => window.element[method](...values), [method, values]);
const refused = (method, ...values) => page.evaluate(
  ([method, values]) => window.element[method](...values).then(() => '', (error) => error.message), [method, values]);

const ready = await page.evaluate(() => window.element.ready);
assert.equal(ready.title, 'Embedded');
assert.deepEqual(ready.annotations, [{ entityId: 'fountain', title: 'Fountain' }], 'without what is hidden');
assert.deepEqual(ready.tours, [{ entityId: 'tour', title: 'Around' }]);
assert.deepEqual(ready.modes, ['fly', 'orbit'], 'there is no floor');

// The page around the frame has the controls.
const frame = page.frameLocator('portico-space iframe');
assert.equal(await frame.locator('.toolbar').isVisible(), false);
await ask('setView', { position: [3, 2, 4], target: [0, 1, 0] });
let now = await ask('getView');
assert.deepEqual(now.position, [3, 2, 4]);
assert.equal(now.mode, 'fly');
await ask('setView', 'orbit,0,1.5,3,0,0,3');
await eventually('the event of the mode', () => happened('mode'), (modes) => modes.some(({ mode }) => mode === 'orbit'));
await ask('open', 'fountain');
await frame.getByRole('complementary', { name: 'Fountain' }).waitFor();
await eventually('the event of the annotation', () => happened('annotation'), (all) => all.includes('fountain'));
await eventually('the view of the annotation', () => ask('getView'), ({ position }) => Math.abs(position[2] - 6) < 0.01);
await accessible(page);
await savePicture(page, 'embed-annotation');
await ask('open', 'tour');
await eventually('the first stop', () => happened('tour'), (all) => all.some(({ stop }) => stop === 0));
await ask('next');
await eventually('the second stop', () => happened('tour'), (all) => all.some(({ stop, stops }) => stop === 1 && stops === 2));
await ask('close');
await eventually('the end of the tour', () => happened('tour'), (all) => all.at(-1).stop === null);
await ask('setLook', { backgroundColor: '#204060' });

// What is wrong is said.
assert.match(await refused('open', 'secret'), /no such annotation/);
assert.match(await refused('setMode', 'swim'), /walk, fly or orbit/);
assert.match(await refused('setMode', 'walk'), /must be one of fly, orbit/);
assert.match(await refused('setView', { position: [0, 0, 0], target: [0, 0, 0] }), /two places/);
assert.match(await refused('request', 'delete'), /type must be one of hello/);

// Only the page around the frame is heard, and only with the version of the messages.
const child = page.frames().find((one) => one.url().includes('/embed/'));
now = await ask('getView');
await child.evaluate(() => window.postMessage({ portico: 1, type: 'setView', position: [9, 9, 9], target: [0, 0, 0] }, '*'));
await page.evaluate(() => {
  const to = window.element.shadowRoot.querySelector('iframe').contentWindow;
  for (const message of [null, 'x', [], { type: 'setView', view: 'fly,9,9,9,0,0,1' }, { portico: 2, type: 'setView', view: 'fly,9,9,9,0,0,1' }]) to.postMessage(message, '*');
});
assert.deepEqual((await ask('getView')).position, now.position);
await finish(stranger);
