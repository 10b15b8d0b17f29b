// Somebody who walks in a capture stands on its floor, falls to it, and stops at its walls.

import assert from 'node:assert/strict';
import { currentView, eventually, finish, given, open, view, visitor } from './browser.mjs';

const stranger = await visitor({ viewport: { width: 320, height: 420 } });
const { page } = stranger;
const goTo = (fragment) => page.evaluate((hash) => { location.hash = hash; }, fragment);

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
await eventually('the way of moving', () => currentView(page), ({ mode }) => mode === 'walk');
const floor = (await rest())[1];
near(floor, 1.6, 0.12, 'height of the eye above the floor');

// Ahead is the wall at x = 4; the body is 0.2 m thick.
await page.locator('#scene canvas').focus();
await page.keyboard.down('KeyW');
await eventually('the walk', () => currentView(page), ({ eye }) => eye[0] > 3.2);
let [x, y, z] = await rest();
near(x, 3.75, 0.2, 'x at the wall');
near(y, floor, 0.06, 'height at the wall');
near(z, 0, 0.05, 'z at the wall');

// At an angle one slides along the wall, to the next one at z = -4.
await goTo(view('walk', [3.5, floor, 0], -45));
await eventually('the slide', () => currentView(page), ({ eye }) => eye[2] < -3.2);
[x, y, z] = await rest();
await page.keyboard.up('KeyW');
near(x, 3.75, 0.2, 'x in the corner');
near(z, -3.75, 0.2, 'z in the corner');

await goTo(view('walk', [0, 2.6, 0], 0));
await eventually('the fall', () => currentView(page), ({ eye }) => eye[1] < floor + 0.1);
near((await rest())[1], floor, 0.06, 'height after the fall');

// Who flies goes through the wall.
await goTo(view('fly', [3, 1.6, 0], -90));
await page.keyboard.down('KeyW');
await eventually('the flight', () => currentView(page), ({ eye }) => eye[0] > 4.5);
await page.keyboard.up('KeyW');
await page.getByRole('button', { name: 'Reset view' }).click();
const { mode, eye } = await currentView(page);
assert.equal(mode, 'walk');
assert.ok(Math.hypot(eye[0], eye[2]) < 3.5, `after the reset: got ${eye}`);
await finish(stranger);
