// Visitors see a capture before the server has found its start. Then the page leads those who
// have not moved to the start, and no others.

import assert from 'node:assert/strict';
import { currentView, finish, given, open, press, savePicture, view, visitor } from './browser.mjs';

const small = { viewport: { width: 480, height: 400 } };
const [waiting, moving, linked] = [await visitor(small), await visitor(small), await visitor(small)];
const everybody = [waiting, moving, linked];
const mode = (page, name) => page.locator(`#scene[data-mode="${name.toLowerCase()}"]`);

// No worker runs yet: the capture is seen as a whole, and nobody can walk.
await open(waiting.page, given.space);
await open(moving.page, given.space);
await open(linked.page, given.space, view('fly', [0, 2, 9], 0));
for (const { page } of [waiting, moving]) await mode(page, 'Orbit').waitFor();
await savePicture(waiting.page, 'late-before');
await moving.page.locator('#scene canvas').focus();
await moving.page.keyboard.press('ArrowLeft', { delay: 500 });

await fetch(given.wake);
// The script may not copy the link to the view yet: then the visitor would have chosen a view.
await mode(waiting.page, 'Walk').waitFor();
await savePicture(waiting.page, 'late-after');
const isInside = ({ eye: [x, y, z] }) => Math.hypot(x, z) < 3.5 && y > 1 && y < 2;
const start = await currentView(waiting.page);
assert.ok(isInside(start), `got ${JSON.stringify(start)}, want a view in the room`);

for (const { page } of everybody) await page.getByRole('button', { name: 'Walk' }).waitFor();
const stayed = await currentView(moving.page);
assert.ok(!isInside(stayed), `got ${JSON.stringify(stayed)}, want the view of a visitor who has moved`);
assert.deepEqual((await currentView(linked.page)).eye, [0, 2, 9]);
// 'Reset view' leads to the start in each case.
for (const { page } of [moving, linked]) {
  await press(page, 'Reset view');
  const reset = await currentView(page);
  assert.ok(isInside(reset), `got ${JSON.stringify(reset)} after the reset, want a view in the room`);
}
await finish(...everybody);
