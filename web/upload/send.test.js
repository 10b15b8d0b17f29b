// An upload notices that its connection is dead.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setImmediate as settled } from 'node:timers/promises';
import { test, vi } from 'vitest';

const { ConnectionLost, send } = await import('./send.ts');

/** The request of the last upload. The test reports its progress and its response. */
let request;

globalThis.XMLHttpRequest = class {
  upload = {};
  isAborted = false;
  constructor() {
    request = this;
  }
  open() {}
  setRequestHeader() {}
  send() {}
  abort() {
    this.isAborted = true;
  }
};

/** Starts an upload of 10 bytes. Its outcome is undefined until it ends. */
function start(signal = new AbortController().signal) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const upload = { outcome: undefined };
  send(new Blob(['0123456789']), { url: '/u', method: 'PUT', headers: [] }, signal, () => {})
    .then(
      () => 'sent',
      (problem) => problem,
    )
    .then((outcome) => {
      upload.outcome = outcome;
    });
  return upload;
}

async function pass(milliseconds) {
  vi.advanceTimersByTime(milliseconds);
  await settled();
}

test('an upload that sends nothing for more than a minute is lost', async () => {
  const upload = start();
  for (let loaded = 1; loaded < 6; loaded++) {
    await pass(50_000);
    request.upload.onprogress({ loaded });
  }
  assert.equal(upload.outcome, undefined);
  await pass(70_000);
  assert.ok(upload.outcome instanceof ConnectionLost, `got ${upload.outcome}, want ConnectionLost`);
  assert.ok(request.isAborted);
});

test('an upload waits for a free connection', async () => {
  const upload = start();
  await pass(590_000);
  assert.equal(upload.outcome, undefined);
  await pass(20_000);
  assert.ok(upload.outcome instanceof ConnectionLost, `got ${upload.outcome}, want ConnectionLost`);
});

test('an upload waits for a response that takes minutes after the last byte', async () => {
  const upload = start();
  request.upload.onprogress({ loaded: 10 });
  await pass(590_000);
  assert.equal(upload.outcome, undefined);
  request.status = 200;
  request.onload();
  await settled();
  assert.equal(upload.outcome, 'sent');
});

test('an upload that gets no response is lost', async () => {
  const upload = start();
  request.upload.onprogress({ loaded: 10 });
  await pass(610_000);
  assert.ok(upload.outcome instanceof ConnectionLost, `got ${upload.outcome}, want ConnectionLost`);
});

test('an upload that has ended no longer listens to its signal', async () => {
  const { signal } = new AbortController();
  start(signal);
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  request.status = 200;
  request.onload();
  await settled();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('an upload that is canceled ends with the reason', async () => {
  const canceled = new AbortController();
  const upload = start(canceled.signal);
  canceled.abort('canceled');
  await settled();
  assert.equal(upload.outcome, 'canceled');
  assert.ok(request.isAborted);
});
