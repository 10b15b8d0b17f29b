// Plugins run in their frame and cannot leave it, and visitors run them only where the
// owner allows it.

import assert from 'node:assert/strict';
import { accessible, awaitColour, call, eventually, finish, given, goTo, open, query, savePicture, view, visitor } from './browser.mjs';

const stranger = await visitor({ viewport: { width: 900, height: 480 } });
const { page } = stranger;
const panels = page.locator('#scene .plugins section:visible');
const panel = (title) => panels.filter({ has: page.getByRole('heading', { name: title }) });
const contents = () => page.locator('#scene-contents').textContent();
const entities = `/v1/spaces/${given.space}/entities`;
const middle = [0.5, 0.5];
const start = view('fly', [0, 1.5, 5], 0);

// Off until the owner allows them; the page makes no frame.
await open(page, given.space, start);
await eventually('the list', contents, (text) => text.includes('switched off for visitors'));
assert.equal(await page.locator('iframe').count(), 0);
assert.ok(!stranger.requests.some((address) => address.includes('plugin-frame') || address.includes('.mjs')));

// The open page follows the setting.
const allow = (allowed) => query('mutation($id: ID!, $allowed: Boolean) { updateSpace(input: { spaceId: $id, pluginsForVisitors: $allowed }) { space { pluginsForVisitors } } }',
  { id: given.space, allowed });
await allow(true);
await panel('Hello from Ada').waitFor();
assert.match(await panel('Hello from Ada').textContent(), /<b>Plugins<\/b>, version 1, en/);
await awaitColour(page, middle, [255, 128, 0], 120);
await accessible(page);
await savePicture(page, 'plugin');

// The page reads the space again when it begins to follow it. That does not change the entity.
const isReading = (request) => request.postData()?.includes('query Space(');
let reads = 0;
let showAgain;
const shown = new Promise((resolve) => { showAgain = resolve; });
await page.route('**/graphql', async (route) => {
  if (isReading(route.request()) && ++reads === 2) await shown;
  await route.continue();
});
await page.reload();
await panel('Hello from Ada').waitFor();
const readAgain = page.waitForResponse((response) => isReading(response.request()));
showAgain();
await (await readAgain).finished();
await page.unroute('**/graphql');
await awaitColour(page, middle, [255, 128, 0], 120);

const box = await page.locator('#scene canvas').boundingBox();
await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
await panel('Clicked 0').waitFor();
assert.match(await panel('Clicked 0').textContent(), /0 changes/);
// What a visitor has closed stays closed, until the visitor comes to it again.
await panels.getByRole('button', { name: 'Close' }).click();
await call('PUT', `${entities}/friendly`, { entity_data: { name: 'Renamed' } });
await eventually('the name', contents, (text) => text.includes('Renamed'));
assert.equal(await panels.count(), 0);
const fly = (z) => goTo(page, view('fly', [0, 1.5, z], 0));
await fly(2);
await panel('Near').waitFor();
await fly(6);
await panel('Left at 6').waitFor();

// Hostile plugins of the owner: they reach nothing, and the page keeps working.
for (const name of ['hostile', 'flood', 'loop']) {
  await call('POST', entities, { entity_id: name, resource_key: given[name], entity_data: { name, params: given.target } });
}
await panel('Open: none').waitFor();
assert.equal(await page.locator('#scene .plugins img').count(), 0);
const warned = (name, reason) => eventually(`the end of ${name}`, async () => stranger.said, (said) =>
  said.some((line) => line.includes(name) && line.includes(reason)));
await warned('flood', 'flood');
// An endless loop does not stop the page: it still draws frames.
await fly(2);
await panel('Near').waitFor();
await warned('loop', 'hanging');
assert.equal(await panel('Looping').count(), 0);
assert.equal(page.url().replace(/#.*/, ''), `${given.server}/${given.space}`);

// The frame, opened as a page, has an origin of its own and runs nothing.
const address = await page.locator('iframe').first().getAttribute('src');
const frame = await visitor();
await frame.page.goto(address);
assert.equal(await frame.page.evaluate(() => self.origin), 'null');
assert.equal(await frame.page.evaluate(() => { try { return document.cookie; } catch (error) { return error.name; } }), 'SecurityError');

await allow(false);
await eventually('the frames', () => page.locator('iframe').count(), (count) => count === 0);
assert.equal(await panels.count(), 0);
// The policy has refused what the hostile plugin tried; that is not a fault of the page.
stranger.problems = stranger.problems.filter((problem) => !/Content Security Policy|Content-Security-Policy|policy violation/.test(problem));
await finish(stranger, frame);
