// The console tries an upload again.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test, vi } from 'vitest';

globalThis.location = { href: 'https://portico.example/console', host: 'portico.example', protocol: 'https:' };
globalThis.WebSocket = Object.assign(class {}, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 });

const { uploads } = await import('./uploads.svelte.ts');
const { Upload } = await import('./upload.svelte.ts');

/** Lets the page do what needs no time: a request or its response takes several turns. */
async function passed() {
  for (let turn = 0; turn < 20; turn++) await settled();
}

async function tick(milliseconds) {
  vi.advanceTimersByTime(milliseconds);
  await passed();
}

test('an upload that is paused and fails again waits as long as the second response says', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const refused = { errors: [{ message: 'Refused', extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 30 } }] };
  let requests = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    requests += 1;
    if (requests === 1) throw new TypeError('Failed to fetch');
    return Response.json(refused);
  });
  uploads.add([{ name: 'hall.ply', size: 5, file: new Blob(['bytes']), fingerprint: '' }]);
  const [upload] = uploads.list;
  await passed();
  assert.deepEqual([upload.step, upload.wait, requests], ['retrying', 5, 1]);
  await tick(1000);
  uploads.pause(upload);
  uploads.resume(upload);
  await passed();
  assert.deepEqual([upload.step, upload.wait, requests], ['retrying', 30, 2]);
  await tick(29_000);
  assert.equal(requests, 2);
  await tick(1000);
  assert.equal(requests, 3);
  await uploads.remove(upload);
});

test('an upload that is paused and resumed while its file is checked keeps its new reservation', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  globalThis.XMLHttpRequest = class {
    // never ends
    upload = {};
    open() {}
    setRequestHeader() {}
    abort() {}
    send() {}
  };
  const asked = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, { body }) => {
    const name = /(?:mutation|query) (\w+)/.exec(JSON.parse(body).query)[1];
    asked.push(name);
    if (asked.length === 1) throw new TypeError('Failed to fetch');
    return Response.json({
      data: { createUpload: { upload: { url: 'https://portico.example/u', method: 'PUT', headers: [], expiresAt: '' } } },
    });
  });
  const file = new Blob(['bytes']);
  uploads.add([{ name: 'hall.ply', size: 5, file, fingerprint: '' }]);
  const [upload] = uploads.list;
  await passed();
  let endCheck;
  const check = new Promise((resolve) => {
    endCheck = resolve;
  });
  vi.spyOn(file, 'slice').mockImplementationOnce(() => ({ arrayBuffer: () => check }));
  await tick(upload.wait * 1000); // the second try checks the file
  uploads.pause(upload);
  uploads.resume(upload);
  await passed();
  assert.deepEqual([upload.step, upload.fileUrl, asked], ['sending', 'https://portico.example/u', ['CreateUpload', 'CreateUpload']]);
  endCheck();
  await passed();
  assert.deepEqual([upload.fileUrl, asked], ['https://portico.example/u', ['CreateUpload', 'CreateUpload']]);
  await uploads.remove(upload);
});

test('another file than the one that an upload needs is uploaded only when the person says so', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ data: {} }));
  const source = (name) => ({ name, size: 0, file: new Blob([]), fingerprint: name });
  const stopped = new Upload('hall.ply', 5);
  stopped.step = 'interrupted';
  stopped.fingerprint = '5/1';
  uploads.list.push(stopped);
  uploads.add([source('garden.ply')], stopped);
  assert.deepEqual([uploads.list.length, stopped.other.name], [1, 'garden.ply']);
  uploads.add([source('hall.ply')]); // changed since, and not chosen for it
  assert.deepEqual([uploads.list.length, stopped.other.name], [1, 'hall.ply']);
  uploads.replace(stopped);
  await passed();
  assert.deepEqual(
    uploads.list.map(({ name, step }) => [name, step]),
    [['hall.ply', 'failed']],
  );
  await uploads.remove(uploads.list[0]);
});
