// The console waits before it tries an upload again.

import assert from 'node:assert/strict';
import test from 'node:test';
import { settled, source } from './source.mjs';

globalThis.$state = Object.assign((value) => value, { raw: (value) => value });
globalThis.$derived = (value) => value;
globalThis.location = { href: 'https://portico.example/console', host: 'portico.example', protocol: 'https:' };
globalThis.WebSocket = Object.assign(class {}, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 });

const { uploads } = await source('console/publish/uploads.svelte.ts');

/** Lets the page do what needs no time: a request or its answer takes several turns. */
async function passed() {
  for (let turn = 0; turn < 20; turn++) await settled();
}

async function tick(t, milliseconds) {
  t.mock.timers.tick(milliseconds);
  await passed();
}

test('an upload that is paused and fails again waits as long as the second answer says', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const refused = { errors: [{ message: 'Refused', extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 30 } }] };
  let requests = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    requests += 1;
    if (requests === 1) throw new TypeError('Failed to fetch');
    return Response.json(refused);
  });
  uploads.add([{ name: 'hall.ply', size: 5, file: new Blob(['bytes']), fingerprint: '' }]);
  const [upload] = uploads.list;
  await passed();
  assert.deepEqual([upload.step, upload.wait, requests], ['retrying', 5, 1]);
  await tick(t, 1000);
  uploads.pause(upload);
  uploads.resume(upload);
  await passed();
  assert.deepEqual([upload.step, upload.wait, requests], ['retrying', 30, 2]);
  await tick(t, 29_000);
  assert.equal(requests, 2);
  await tick(t, 1000);
  assert.equal(requests, 3);
  await uploads.remove(upload);
});
