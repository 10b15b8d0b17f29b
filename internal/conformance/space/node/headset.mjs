// Visitors move with a headset, which the emulator of a headset's maker (iwer) provides.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { call, currentView, eventually, finish, given, open, query, savePicture, view, visitor } from './browser.mjs';

const emulator = await readFile(createRequire(import.meta.url).resolve('iwer/build/iwer.min.js'), 'utf8');

/** Returns a visitor of the hub with a headset on, in front of the wall at z = -9. */
async function wearer(options, space = given.space) {
  const one = await visitor({ viewport: { width: 240, height: 320 }, ...options });
  // A browser never takes the number of a frame of the window for one of a session. Here both
  // are numbers of the window's kind, and the engine cancels in both: it stopped the emulator.
  await one.page.addInitScript(() => {
    const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = window;
    const apart = 1e9;
    window.requestAnimationFrame = (frame) => request.call(window, frame) + apart;
    window.cancelAnimationFrame = (handle) => cancel.call(window, handle - apart);
  });
  await one.page.addInitScript(emulator);
  await one.page.addInitScript(() => {
    window.device = new IWER.XRDevice(IWER.metaQuest3);
    window.device.installRuntime({ forceInstall: true });
    window.device.position.set(0, 1.7, 0);
    // The right hand points back and down.
    const { right } = window.device.controllers;
    right.position.set(0, 1.5, 0);
    right.quaternion.set(0, Math.cos(Math.PI / 8), Math.sin(Math.PI / 8), 0);
  });
  await open(one.page, space, view('walk', [0, 1.6, -7.5], 0));
  await one.page.getByRole('button', { name: 'Enter VR' }).waitFor();
  return one;
}

const enter = async (page) => {
  await press(page, 'Enter VR');
  await page.getByRole('button', { name: 'Leave VR' }).waitFor();
};
// The emulator lays its canvas over the page.
const press = (page, name) => page.locator('#scene').getByRole('button', { name, includeHidden: true }).dispatchEvent('click');
const awaitView = (page, what, holds) => eventually(what, () => currentView(page), holds);

/** Waits for several frames of the session. */
const frames = (page) => page.evaluate(() => new Promise((done) => {
  let left = 3;
  const next = () => (left-- > 0 ? window.device.activeSession.requestAnimationFrame(next) : done());
  next();
}));
const stick = async (page, hand, dx, dy) => {
  await page.evaluate(([which, ...values]) => {
    window.device.controllers[which].updateAxes('thumbstick', ...values);
  }, [hand, dx, dy]);
  await frames(page);
};
const hold = (page, button, value) => page.evaluate(([name, to]) => {
  window.device.controllers.right.updateButtonValue(name, to);
}, [button, value]);
/** Pulls the trigger of the right hand and releases it. */
const pull = async (page) => {
  await hold(page, 'trigger', 1);
  await frames(page);
  await hold(page, 'trigger', 0);
  await frames(page);
};

const wearing = await wearer({});
const { page } = wearing;
await enter(page);
// The eye is as high above the floor as the headset is above the floor of its room.
await awaitView(page, 'the height of the eye', ({ eye }) => Math.abs(eye[1] - 1.7) < 0.02);
await stick(page, 'left', 0, -1);
// The wall stops the body, which is 0.2 m thick.
await awaitView(page, 'the wall', ({ eye }) => Math.abs(eye[2] + 8.8) < 0.05);
await frames(page);
assert.ok((await currentView(page)).eye[2] > -8.85, 'the wall holds');
await stick(page, 'left', 0, 0);

// One push of the stick is one step of the turn.
await stick(page, 'right', 1, 0);
await awaitView(page, 'the turn', ({ yaw }) => Math.abs(yaw + 30) < 1);
await frames(page);
assert.ok(Math.abs((await currentView(page)).yaw + 30) < 1, 'one push turns once');
await stick(page, 'right', 0, 0);

// The right hand points back, to the floor at 1.5 m, and half to the left after the turn.
await pull(page);
await awaitView(page, 'the jump to the floor', ({ eye }) => Math.hypot(eye[0] + 0.75, eye[2] + 7.5) < 0.3);
await savePicture(page, 'vr');
await hold(page, 'b-button', 1);
await page.getByRole('button', { name: 'Enter VR' }).waitFor();
await hold(page, 'b-button', 0);
const after = await currentView(page);
assert.ok(after.mode === 'walk' && Math.hypot(after.eye[0] + 0.75, after.eye[2] + 7.5) < 0.4 && Math.abs(after.yaw + 30) < 1, `after the session: got ${JSON.stringify(after)}`);

// Keys move the view again.
await page.locator('#scene canvas').focus();
await page.keyboard.down('KeyS');
await awaitView(page, 'the way back', ({ eye }) => eye[2] > after.eye[2] + 0.3);
await page.keyboard.up('KeyS');
await wearing.context.close();

// With reduced motion, the stick does not move the visitor; jumps do.
const calm = await wearer({ reducedMotion: 'reduce' });
await press(calm.page, 'Help');
const walks = calm.page.getByLabel('Walk with the left stick');
assert.equal(await walks.isChecked(), false);
await enter(calm.page);
await stick(calm.page, 'left', 0, -1);
assert.ok(Math.abs((await currentView(calm.page)).eye[2] + 7.5) < 0.05, 'the stick moves nobody');
await pull(calm.page);
await awaitView(calm.page, 'the jump', ({ eye }) => Math.abs(eye[2] + 6) < 0.3);

// The visitor can change these options.
await walks.dispatchEvent('click');
await awaitView(calm.page, 'the walk', ({ eye }) => eye[2] < -6.5);
await stick(calm.page, 'left', 0, 0);
await calm.page.getByLabel('Turn smoothly').dispatchEvent('click');
await stick(calm.page, 'right', 0.5, 0);
await awaitView(calm.page, 'the smooth turn', ({ yaw }) => yaw < -5);
await stick(calm.page, 'right', 0, 0);
await press(calm.page, 'Leave VR');
await calm.page.getByRole('button', { name: 'Enter VR' }).waitFor();
await calm.context.close();

// Annotations and a tour guide a visitor who sees nothing of the page.
const { files: { nodes } } = await query('{ files { nodes { resourceKey url } } }');
const address = (key) => nodes.find(({ resourceKey }) => resourceKey === key).url;
const put = (id, type, data) => call('POST', `/v1/spaces/${given.guided}/entities`, { entity_id: id, entity_type: type, entity_data: data });
const long = `# About\n\nA **bold** word, and [a page](https://example.org/).\n\n- one\n- two\n\n${'There is more to say than fits. '.repeat(20)}`;
// The second is behind the wall.
const places = [[-1.5, 1.6, -8.8], [1.5, 1.4, -10], [3, 1, -8], [-4, 1.5, 0], [4, 1.5, 0], [0, 1, 4]];
for (const [i, position] of places.entries())
  await put(`note${i}`, 'AnnotationEntity', { title: `Place ${i + 1}`, position, text: long, ...(i === 1 && { imageURL: address(given.picture) }) });
await put('tour', 'TourEntity', { title: 'Around the hub', stops: [
  { annotation: 'note3', camera: { position: [3, 1.6, 0], target: [-4, 1.6, 0] }, soundURL: address(given.sound) },
  { title: 'The entrance', text: 'Here visitors come in.', camera: { position: [-3, 1.6, 2], target: [-3, 1.6, 6] } },
] });

/** Points the right hand at a place in the visitor's own room. */
const point = (one, [x, y, z]) => one.evaluate(([dx, dy, dz]) => {
  // Half a turn around the middle between the way ahead and the wanted one.
  const length = Math.hypot(dx, dy, dz);
  const axis = [dx / length, dy / length, dz / length - 1];
  const { right } = window.device.controllers;
  right.position.set(0, 1.5, 0);
  right.quaternion.set(...axis.map((value) => value / Math.hypot(...axis)), 0);
}, [x, y - 1.5, z]);
/** Pulls the trigger at one of the buttons of the panel, which is so many degrees to the right. */
const pressPanel = async (one, angle, index, count) => {
  const width = (984 - (count - 1) * 24) / count;
  const [across, down] = [(48 + index * (width + 24) + width / 2 - 540) / 1200, -0.245];
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  // It faces the eye, which is 0.1 m above its middle.
  const [level, up] = [1.2 / Math.hypot(1.2, 0.1), 0.1 / Math.hypot(1.2, 0.1)];
  const away = 1.2 + down * up;
  await point(one, [sin * away + cos * across, 1.6 + down * level, -cos * away + sin * across]);
  await pull(one);
};
const awaitPanel = (one, want) => eventually(`the panel ${want}`, () => one.locator('#scene').getAttribute('data-in-headset'), (got) => got === want);
const beside = (24 * Math.PI) / 180;

const guided = await wearer({ viewport: { width: 800, height: 500 } }, given.guided);
const { page: guide } = guided;
await guide.evaluate(() => {
  window.heard = [];
  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function start() {
    window.heard.push(this.src);
    return play.call(this);
  };
});
await enter(guide);
// The tour is offered, and can be left for later.
await awaitPanel(guide, 'tour');
await savePicture(guide, 'vr-tour');
await pressPanel(guide, 0, 1, 2);
await awaitPanel(guide, null);

// A marker opens its annotation, even behind a wall, and moves nobody.
await point(guide, [places[1][0], places[1][1], places[1][2] + 7.5]);
await savePicture(guide, 'vr-markers');
await pull(guide);
await awaitPanel(guide, 'note1');
const side = Math.atan2(1.5, 2.5) + beside;
await guide.evaluate((angle) => window.device.quaternion.set(0, -Math.sin(angle / 2), 0, Math.cos(angle / 2)), side);
await frames(guide);
await savePicture(guide, 'vr-annotation');
await pressPanel(guide, side, 1, 4);
await awaitPanel(guide, 'note2');
await pressPanel(guide, side, 0, 4);
await awaitPanel(guide, 'note1');
const before = await currentView(guide);
assert.ok(Math.hypot(before.eye[0], before.eye[2] + 7.5) < 0.05, `annotations move nobody: got ${JSON.stringify(before)}`);

// The tour goes on by hand. It turns the visitor to each view, wherever the head looks.
await pressPanel(guide, side, 2, 4);
await awaitPanel(guide, 'note3');
await awaitView(guide, 'the first stop', ({ eye, yaw }) => Math.hypot(eye[0] - 3, eye[1] - 1.7, eye[2]) < 0.05 && Math.abs(yaw - 90) < 1);
assert.deepEqual(await guide.evaluate(() => window.heard), [address(given.sound)], 'the narration');
await frames(guide);
await savePicture(guide, 'vr-stop');
await pressPanel(guide, side + beside, 0, 2);
await awaitView(guide, 'the second stop', ({ eye, yaw }) => Math.hypot(eye[0] + 3, eye[1] - 1.7, eye[2] - 2) < 0.05 && Math.abs(Math.abs(yaw) - 180) < 1);
await awaitPanel(guide, 'tour');
await pressPanel(guide, side + beside, 0, 2);
await awaitPanel(guide, 'note3');
await pressPanel(guide, side + beside, 1, 2);
await awaitPanel(guide, null);
await press(guide, 'Leave VR');
await guide.getByRole('button', { name: 'Enter VR' }).waitFor();
await guide.getByRole('button', { name: 'Annotation 4: Place 4' }).waitFor({ state: 'attached' });
await finish(guided);
