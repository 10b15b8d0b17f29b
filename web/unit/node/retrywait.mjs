// The console tries an upload again.

import assert from 'node:assert/strict';
import test from 'node:test';
import { settled, source } from './source.mjs';

globalThis.$state = Object.assign((value) => value, { raw: (value) => value });
globalThis.$derived = (value) => value;
globalThis.location = { href: 'https://portico.example/console', host: 'portico.example', protocol: 'https:' };
globalThis.WebSocket = Object.assign(class {}, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 });

const { uploads } = await source('console/publish/uploads.svelte.ts');

/** Lets the page do what needs no time: a request or its response takes several turns. */
async function passed() {
  for (let turn = 0; turn < 20; turn++) await settled();
}

async function tick(t, milliseconds) {
  t.mock.timers.tick(milliseconds);
  await passed();
}

test('an upload that is paused and fails again waits as long as the second response says', async (t) => {
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

test('an upload that is paused and resumed while its file is checked keeps its new reservation', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  globalThis.XMLHttpRequest = class { // never ends
    upload = {};
    open() {}
    setRequestHeader() {}
    abort() {}
    send() {}
  };
  const asked = [];
  t.mock.method(globalThis, 'fetch', async (_, { body }) => {
    const name = /(?:mutation|query) (\w+)/.exec(JSON.parse(body).query)[1];
    asked.push(name);
    if (asked.length === 1) throw new TypeError('Failed to fetch');
    return Response.json({ data: { createUpload: { upload: { url: 'https://portico.example/u', method: 'PUT', headers: [], expiresAt: '' } } } });
  });
  const file = new Blob(['bytes']);
  uploads.add([{ name: 'hall.ply', size: 5, file, fingerprint: '' }]);
  const [upload] = uploads.list;
  await passed();
  let endCheck;
  const check = new Promise((resolve) => { endCheck = resolve; });
  t.mock.method(file, 'slice', () => ({ arrayBuffer: () => check }), { times: 1 });
  await tick(t, upload.wait * 1000); // the second try checks the file
  uploads.pause(upload);
  uploads.resume(upload);
  await passed();
  assert.deepEqual([upload.step, upload.fileUrl, asked], ['sending', 'https://portico.example/u', ['CreateUpload', 'CreateUpload']]);
  endCheck();
  await passed();
  assert.deepEqual([upload.fileUrl, asked], ['https://portico.example/u', ['CreateUpload', 'CreateUpload']]);
  await uploads.remove(upload);
});
