// Somebody who walks in a capture stands on its floor, falls to it, and stops at its walls.

import assert from 'node:assert/strict';
import { currentView, eventually, finish, given, goTo, hold, open, press, touch, view, visitor } from './browser.mjs';

const stranger = await visitor({ viewport: { width: 320, height: 420 }, hasTouch: true });
const { page } = stranger;
await page.addInitScript(() => {
  window.pad = { mapping: 'standard', axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ value: 0 })) };
  navigator.getGamepads = () => [window.pad];
});

/** Waits until the eye rests and returns where it is. */
const rest = async () => {
  let last = [NaN, NaN, NaN];
  let { eye } = await currentView(page);
  while (eye.some((value, axis) => value !== last[axis])) {
    last = eye;
    // Several frames must pass: a slow machine draws few.
    await page.evaluate(() => new Promise((done) => {
      let frames = 8;
      const next = () => (frames-- > 0 ? requestAnimationFrame(next) : done());
      next();
    }));
    ({ eye } = await currentView(page));
  }
  return eye;
};
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: got ${a}, want ${b}`);

await open(page, given.space, view('walk', [1, 1.65, 0], -90));
// A hint says what to do first, until something is done.
await page.getByText('Tap the floor, or use the joystick').waitFor();
await page.keyboard.press('KeyW');
await page.locator('#scene .hint').waitFor({ state: 'detached' });
await eventually('the way of moving', () => currentView(page), ({ mode }) => mode === 'walk');
const floor = (await rest())[1];
near(floor, 1.6, 0.12, 'height of the eye above the floor');

// Letters move whatever has the focus, except a field for text.
const step = async (what) => {
  const [from] = (await currentView(page)).eye;
  await page.keyboard.down('KeyW');
  await eventually(`the step after ${what}`, () => currentView(page), ({ eye }) => eye[0] > from + 0.05);
  await page.keyboard.up('KeyW');
};
await press(page, 'Walk');
await step('Walk');
await press(page, 'Reset view');
await goTo(page, view('walk', [0, 1.65, 0], -90));
await eventually('the view of the link', () => currentView(page), ({ eye, yaw }) => Math.abs(eye[0]) < 0.01 && Math.abs(yaw + 90) < 1);
await press(page, 'Share');
await step('Share');
await page.keyboard.press('Escape');
await press(page, /^Visitors/);
await page.getByLabel('Your name').focus();
const typing = await rest();
await page.keyboard.press('KeyW', { delay: 200 });
assert.deepEqual(await rest(), typing, 'where somebody types');
assert.equal(await page.getByLabel('Your name').inputValue(), 'w');
await page.keyboard.press('Escape');

// Ahead is the wall at x = 4; the body is 0.2 m thick.
await page.locator('#scene canvas').focus();
await page.keyboard.down('KeyW');
await eventually('the walk', () => currentView(page), ({ eye }) => eye[0] > 3.2);
let [x, y, z] = await rest();
near(x, 3.75, 0.2, 'x at the wall');
near(y, floor, 0.06, 'height at the wall');
near(z, 0, 0.05, 'z at the wall');

// At an angle one slides along the wall, to the next one at z = -4.
await goTo(page, view('walk', [3.5, floor, 0], -45));
await eventually('the slide', () => currentView(page), ({ eye }) => eye[2] < -3.2);
[x, y, z] = await rest();
await page.keyboard.up('KeyW');
near(x, 3.75, 0.2, 'x in the corner');
near(z, -3.75, 0.2, 'z in the corner');

await goTo(page, view('walk', [0, 2.6, 0], 0));
await eventually('the fall', () => currentView(page), ({ eye }) => eye[1] < floor + 0.1);
near((await rest())[1], floor, 0.06, 'height after the fall');

// Who flies goes through the wall.
await goTo(page, view('fly', [3, 1.6, 0], -90));
await page.keyboard.down('KeyW');
await eventually('the flight', () => currentView(page), ({ eye }) => eye[0] > 4.5);
await page.keyboard.up('KeyW');
await press(page, 'Reset view');
const { mode, eye } = await currentView(page);
assert.equal(mode, 'walk');
assert.ok(Math.hypot(eye[0], eye[2]) < 3.5, `after the reset: got ${eye}`);

// Fingers: a tap on the floor goes there, and a tap on a wall goes nowhere.
const middle = async () => {
  const { x, y, width, height } = await page.locator('#scene canvas').boundingBox();
  return [x + width / 2, y + height / 2];
};
const [cx, cy] = await middle();
const tap = [[cx, cy], [cx, cy]];
const look = async (fragment) => {
  await goTo(page, fragment);
  return rest();
};
await look(view('walk', [0, floor, 1], 0, -45));
await touch(page, tap);
await eventually('the way to the tapped floor', () => currentView(page), ({ eye }) => Math.abs(eye[2] + 0.6) < 0.25);
const place = await look(view('walk', [1, floor, 0], 0, 0));
await touch(page, tap);
assert.deepEqual(await rest(), place, 'a tap on a wall');

// One finger turns the view, and two apart go nearer.
await touch(page, [[cx - 50, cy], [cx + 50, cy + 50]]);
await eventually('the turn', () => currentView(page), ({ yaw, pitch }) => Math.abs(yaw - 20) < 2 && Math.abs(pitch - 10) < 2);
await look(view('fly', [0, 1.6, 0], -90));
await touch(page, [[cx - 20, cy], [cx - 100, cy]], [[cx + 20, cy], [cx + 100, cy]]);
await eventually('the way ahead', () => currentView(page), ({ eye }) => eye[0] > 0.05);

// Two thumbs: the left one walks by the joystick, which fingers bring, and the right one turns.
await look(view('walk', [-2.5, floor, 0], -90));
const knob = await page.locator('#scene .stick').boundingBox();
const [sx, sy] = [knob.x + knob.width / 2, knob.y + knob.height / 2];
await hold(page, [[[sx, sy], [sx, sy - 60]], [[cx + 90, cy], [cx + 140, cy]]], async () => {
  await eventually('the walk by thumb', () => currentView(page), ({ eye, yaw }) => eye[0] > -1.5 && Math.abs(yaw + 80) < 2);
});
await rest();
assert.equal((await currentView(page)).mode, 'walk');

// A gamepad: the left stick moves as far as the wall, the right one turns.
const axes = (...values) => page.evaluate((set) => { window.pad.axes = set; }, values);
await look(view('walk', [2.5, floor, 0], -90));
await axes(0, -1, 0, 0);
await eventually('the walk by gamepad', () => currentView(page), ({ eye }) => eye[0] > 3.2);
[x] = await rest();
near(x, 3.75, 0.2, 'x at the wall, by gamepad');
await axes(0, 0.1, 1, 0); // sticks do not rest exactly in the middle
await eventually('the turn by gamepad', () => currentView(page), ({ yaw }) => yaw < -110 || yaw > 0);
await axes(0, 0, 0, 0);
near((await rest())[0], x, 0.05, 'x after the turn');

// Off a ledge of one metre one falls to the floor, and cannot step up again.
await open(page, given.ledge, view('walk', [-1.5, 2.65, 0], -90));
await eventually('the way of moving on the ledge', () => currentView(page), ({ mode }) => mode === 'walk');
near((await rest())[1], floor + 1, 0.12, 'height of the eye on the ledge');
await page.locator('#scene canvas').focus();
await page.keyboard.down('KeyW');
await eventually('the way off the ledge', () => currentView(page), ({ eye }) => eye[0] > 1);
await page.keyboard.up('KeyW');
near((await rest())[1], floor, 0.12, 'height below the ledge');
await goTo(page, view('walk', [1.5, floor, 0], 90));
await page.keyboard.down('KeyW');
await eventually('the way back to the ledge', () => currentView(page), ({ eye }) => eye[0] < 0.5);
[x, y] = await rest();
await page.keyboard.up('KeyW');
near(x, 0.25, 0.2, 'x at the ledge');
near(y, floor, 0.12, 'height at the ledge');
await finish(stranger);
