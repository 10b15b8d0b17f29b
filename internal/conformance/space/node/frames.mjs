// Other sites show a space in a frame: in a sandbox without an origin, as WordPress does, and on a page
// that is isolated from other origins.

import assert from 'node:assert/strict';
import { awaitColour, call, finish, given, savePicture, upload, view, visitor } from './browser.mjs';
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
}
await finish(...strangers);
