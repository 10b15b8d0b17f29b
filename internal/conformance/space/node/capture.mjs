// A capture is shown from where its views look, each wall in its colour.

import assert from 'node:assert/strict';
import { accessible, awaitColour, call, currentView, eventually, finish, given, goTo, open, press, savePicture, view, visitor } from './browser.mjs';

const stranger = await visitor();
const { page } = stranger;
const middle = [0.5, 0.4];
await page.addInitScript(() => {
  window.draws = 0;
  for (const name of ['drawArrays', 'drawArraysInstanced', 'drawElements', 'drawElementsInstanced']) {
    const draw = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...values) {
      window.draws++;
      return draw.apply(this, values);
    };
  }
});

await open(page, given.space);
await page.getByText('Click the floor, or use W A S D').waitFor();
const first = await currentView(page);
console.log('first view', JSON.stringify(first));
await savePicture(page, 'capture-first');
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
  await savePicture(page, `capture-${name}`);
}
await goTo(page, view('fly', [0, 1.5, 0], 0, -80));
await awaitColour(page, middle, [102, 102, 102]);
// A view at rest draws nothing.
await eventually('draws during 20 frames', () => page.evaluate(async () => {
  const before = window.draws;
  for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame);
  return window.draws - before;
}), (draws) => draws === 0);

// The visitor chooses the quality, which this browser remembers.
const pixels = () => page.locator('#scene canvas').evaluate(({ width, clientWidth }) => width / clientWidth);
await page.evaluate(() => { Object.defineProperty(window, 'devicePixelRatio', { value: 2, configurable: true }); });
await press(page, 'More');
for (const [quality, ratio] of [['High', 2], ['Low', 1]]) {
  await page.getByLabel('Quality').selectOption({ label: quality });
  await eventually(`pixels at quality ${quality}`, pixels, (got) => got === ratio);
}
await page.keyboard.press('Escape');

// The mouse turns the view without a button, if the visitor wants that.
await page.evaluate(() => { // a browser without a window has no mouse to lock
  HTMLCanvasElement.prototype.requestPointerLock = async function () {
    Object.defineProperty(document, 'pointerLockElement', { value: this, configurable: true });
    document.dispatchEvent(new Event('pointerlockchange'));
  };
});
await goTo(page, view('fly', [0, 1.5, 0], 0));
await press(page, 'Look with the mouse');
await page.getByText('Press Escape to get it back').waitFor();
await page.locator('#scene canvas').dispatchEvent('pointermove', { movementX: -200, movementY: 0, pointerType: 'mouse' });
await eventually('the view that follows the mouse', () => currentView(page), ({ yaw }) => Math.abs(yaw - 40) < 1);

// Files that cannot be loaded leave the poster, and the page says so. The visitor tries again. First all files of the view
// are blocked, and then all but the one that names the others.
for (const blocked of ['**/view/**', /\/view\/.*\/meta\.json$/]) {
  await page.route(blocked, (route) => route.abort());
  await page.goto('about:blank');
  await page.goto(`${given.server}/${given.space}${view('fly', [0, 1.5, 0], walls.red[0])}`);
  const problem = page.locator('#scene .problems');
  await problem.getByText('it could not be loaded').waitFor();
  assert.ok(await page.locator('#scene img.poster').isVisible(), 'the poster stays');
  assert.equal(await page.getByLabel('Quality').inputValue(), 'low');
  await accessible(page);
  await savePicture(page, 'capture-blocked');
  await page.unrouteAll({ behavior: 'wait' });
  await problem.getByRole('button', { name: 'Try again' }).click();
  await page.locator('#scene[data-state="ready"]').waitFor();
  await awaitColour(page, middle, walls.red[1]);
  assert.ok(await problem.isHidden());
}
for (const text of stranger.problems.splice(0)) assert.match(text, /ERR_FAILED|Failed to load resource|Error loading/);

// The page says how much of the first picture is loaded.
let release;
const released = new Promise((resolve) => { release = resolve; });
await page.route('**/view/**', async (route) => {
  await released;
  return route.continue();
});
await page.goto('about:blank');
await page.goto(`${given.server}/${given.space}`, { waitUntil: 'commit' });
const bar = page.getByRole('progressbar');
await eventually('a part of what is to be loaded', () => bar.evaluate(({ value }) => value), (percent) => percent > 0 && percent < 100);
await page.getByText(/^Loading… \d\d? %$/).waitFor();
await savePicture(page, 'capture-loading');
release();
await page.locator('#scene[data-state="ready"]').waitFor();
assert.ok(await bar.isHidden());
await page.unrouteAll({ behavior: 'wait' });

// While the server prepares a large capture, it shows the poster. The answer is that of
// a server that has not made the view yet.
await page.route('**/graphql', async (route) => {
  if (!/^\s*query Space/.test(route.request().postDataJSON()?.query)) return route.continue();
  const response = await route.fetch();
  const result = await response.json();
  for (const { file } of result.data.space.entities.nodes) {
    Object.assign(file, { viewUrl: file.readUrl, size: 1e9, preparation: [{ step: 'FACTS', state: 'READY' }, { step: 'VIEW', state: 'PENDING' }] });
  }
  return route.fulfill({ response, json: result });
});
await page.goto('about:blank');
await page.goto(`${given.server}/${given.space}${view('fly', [0, 1.5, 0], walls.red[0])}`);
await page.getByText('The capture is being prepared: 1 of 2 steps').waitFor();
await page.locator('#scene img.poster').waitFor();
await savePicture(page, 'capture-preparing');
assert.equal(await page.locator('#scene[data-state="ready"]').count(), 0, 'the poster stays');
await page.unrouteAll({ behavior: 'wait' });
const { data: { entities } } = await call('GET', `/v1/spaces/${given.space}/entities`);
const shown = entities.find(({ entity_type: type }) => type === 'UserModelEntity');
await call('PUT', `/v1/spaces/${given.space}/entities/${shown.entity_id}`, { entity_data: { touched: true } });
await page.locator('#scene[data-state="ready"]').waitFor();
await awaitColour(page, middle, walls.red[1]);
await finish(stranger);
