// A capture is shown from where its views look, each wall in its colour.

import assert from 'node:assert/strict';
import { awaitColour, currentView, finish, given, goTo, keep, open, view, visitor } from './browser.mjs';

const stranger = await visitor();
const { page } = stranger;
const middle = [0.5, 0.4];

await open(page, given.space);
const first = await currentView(page);
console.log('first view', JSON.stringify(first));
await keep(page, 'capture-first');
assert.ok(Math.hypot(first.eye[0], first.eye[2]) < 3.5, 'the visit begins inside of the room');

// A glTF has y up in its file, so its entity is not turned.
await open(page, given.glTF);
const inGLTF = await currentView(page);
console.log('first view of the glTF', JSON.stringify(inGLTF));
assert.ok(Math.hypot(...[0, 1, 2].map((axis) => inGLTF.eye[axis] - first.eye[axis])) < 0.5, 'a visit begins at the same place in a glTF');

const walls = { red: [-90, [230, 26, 26]], green: [90, [26, 178, 26]], blue: [0, [26, 51, 230]], yellow: [180, [230, 204, 26]] };
await open(page, given.space, view('fly', [0, 1.5, 0], walls.red[0]));
for (const [name, [yaw, colour]] of Object.entries(walls)) {
  await goTo(page, view('fly', [0, 1.5, 0], yaw));
  await awaitColour(page, middle, colour);
  await awaitColour(page, [0.5, 0.02], [208, 208, 208]); // the ceiling is above
  await keep(page, `capture-${name}`);
}
await goTo(page, view('fly', [0, 1.5, 0], 0, -80));
await awaitColour(page, middle, [102, 102, 102]);
await finish(stranger);
