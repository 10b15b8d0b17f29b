// A capture is shown from where its views look, each wall in its colour.

import assert from 'node:assert/strict';
import { awaitColour, call, currentView, eventually, finish, given, goTo, open, savePicture, view, visitor } from './browser.mjs';

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
