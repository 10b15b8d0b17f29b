// Visitors move with a headset, which the emulator of a headset's maker (iwer) provides.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { currentView, eventually, finish, given, open, savePicture, view, visitor } from './browser.mjs';

const emulator = await readFile(createRequire(import.meta.url).resolve('iwer/build/iwer.min.js'), 'utf8');

/** Returns a visitor of the hub with a headset on, in front of the wall at z = -9. */
async function wearer(options) {
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
  await open(one.page, given.space, view('walk', [0, 1.6, -7.5], 0));
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
await finish(wearing, calm);
