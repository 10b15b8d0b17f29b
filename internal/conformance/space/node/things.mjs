// Models, pictures, videos and sounds stand where their entities say.

import assert from 'node:assert/strict';
import { awaitColour, call, eventually, finish, given, keep, open, view, visitor } from './browser.mjs';

const stranger = await visitor();
const { page } = stranger;
const middle = [0.5, 0.45];
const magenta = [255, 0, 255];

await open(page, given.space, view('fly', [2, 1.5, 1], 0));
await awaitColour(page, middle, magenta);
await open(page, given.space, view('fly', [-2, 1.5, 1], 0));
await awaitColour(page, middle, [0, 200, 200]);

// Without a start, the view shows everything.
await open(page, given.space);
await keep(page, 'things');

const sound = page.waitForRequest((request) => request.url().endsWith('.wav'));
await page.getByRole('button', { name: 'Sound' }).click();
await sound;

// A video is recorded here, because the browser can.
const recorded = await page.evaluate(async () => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [160, 120];
  const context = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' });
  const chunks = [];
  recorder.ondataavailable = (event) => chunks.push(event.data);
  const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
  recorder.start();
  for (let i = 0; i < 20; i++) {
    context.fillStyle = '#ff8000';
    context.fillRect(0, 0, 160, 120);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  recorder.stop();
  await stopped;
  return [...new Uint8Array(await new Blob(chunks).arrayBuffer())];
});
const bytes = new Uint8Array(recorded);
const { data: { params } } = await call('POST', '/v1/files/upload', { file_name: 'film.webm', file_size: bytes.length, content_type: 'video/webm' });
const put = await fetch(params.url, { method: params.method, headers: params.headers, body: bytes });
assert.ok(put.ok);
const { data } = await call('POST', '/v1/files/upload-complete', { status: 'success', extra_info: { file_url: params.url.replace(/\?.*/, '') } });
await call('POST', `/v1/spaces/${given.space}/entities`, {
  entity_id: 'film', resource_key: data.resource_key, entity_data: { position: [0, 1.5, 0], rotation: { x: 0, y: 90, z: 0 }, scale: 2 },
});
// It comes while the visitor is here. It is turned, so it is seen from the side.
await page.evaluate((hash) => { location.hash = hash; }, view('fly', [3, 1.5, 0], 90));
await awaitColour(page, middle, [255, 128, 0], 60);
await eventually('the list', () => page.locator('#scene-contents').textContent(), (text) => text.includes('Video'));
await keep(page, 'video');
await finish(stranger);
