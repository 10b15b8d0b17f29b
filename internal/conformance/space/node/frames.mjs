// Other sites show a space in a frame: in a sandbox without an origin, as WordPress does, and on a page
// that is isolated from other origins.

import assert from 'node:assert/strict';
import { awaitColour, call, eventually, finish, given, savePicture, upload, view, visitor } from './browser.mjs';
import { dracoSquare, repeatedSquares } from './compressed.mjs';

// The workers of decoders are what such frames may start least.
for (const [name, bytes, position] of [
  ['draco', await dracoSquare([0, 0, 1]), [0, 1.5, 0]],
  ['meshopt', await repeatedSquares([1, 0, 0], true), [-0.4, 1.5, -1]],
]) {
  await call('POST', `/v1/spaces/${given.space}/entities`, {
    entity_id: name, resource_key: await upload(`${name}.glb`, 'model/gltf-binary', bytes), entity_data: { position },
  });
}
const hash = view('fly', [0, 1.5, 1], 0);
const strangers = [];
for (const [name, path, isIsolated, fragment] of [
  ['a sandbox', '/sandbox', false, hash],
  ['an isolated page', '/isolated', true, hash],
  ['a sandbox of an isolated page', '/both', true, hash],
  ['what WordPress adds to the address', '/sandbox', false, '#?secret=4fTTLpEpVl'],
]) {
  const stranger = await visitor({}, [given.host]);
  strangers.push(stranger);
  const { page } = stranger;
  await page.goto(`${given.host}${path}?embed=${encodeURIComponent(`/embed/${given.space}${fragment}`)}`);
  assert.equal(await page.evaluate(() => crossOriginIsolated), isIsolated, name);
  const frame = page.frameLocator('iframe');
  await frame.locator('#scene[data-state="ready"]').waitFor();
  assert.equal(await frame.locator('#scene').evaluate(() => self.origin === 'null'), path !== '/isolated', name);
  if (fragment === hash) {
    await awaitColour(frame, [0.5, 0.45], [0, 0, 255], 60);
    await awaitColour(frame, [0.91, 0.5], [255, 0, 0], 60);
  }
  await savePicture(page, `frame${path.replace('/', '-')}`);
  // The page around the frame scrolls, until the visitor clicks into the view: then the wheel is the view's.
  const box = await page.locator('iframe').boundingBox();
  const scrolled = () => page.evaluate(() => scrollY);
  await page.mouse.move(box.x + 240, box.y + 200);
  await page.mouse.wheel(0, 60);
  await eventually(`the scrolling around ${name}`, scrolled, (y) => y > 0);
  await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.click(box.x + 240, box.y + 200);
  const shared = frame.locator('#scene canvas.shared');
  await shared.waitFor({ state: 'detached' });
  const look = () => frame.locator('#scene').evaluate(() => {
    [...document.querySelectorAll('#scene button')].find((one) => one.textContent === 'Copy link to this view').click();
    return location.hash;
  });
  const before = await look();
  await page.mouse.wheel(0, 60);
  await eventually('the zoom', look, (hash) => hash !== before);
  assert.equal(await scrolled(), 0, `${name}: the page around it`);
  await page.mouse.move(box.x + 240, box.y + box.height + 50);
  await shared.waitFor({ state: 'attached' });
}
// The host's frame does not allow the page to copy the link, by which this script reads the view.
for (const stranger of strangers) stranger.problems = stranger.problems.filter((problem) => !problem.includes('Clipboard API'));
await finish(...strangers);
