// The console makes a zip of a folder.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'vitest';

const { zip } = await import('./zip.ts');

globalThis.self = { location: 'https://portico.example/console' }; // the base of the worker's address

/** Posts a checksum for each file. */
globalThis.Worker = class {
  postMessage(file) {
    setImmediate(() => this.onmessage({ data: { read: file.size } }));
    setImmediate(() => this.onmessage({ data: { crc: 7 } }));
  }
  terminate() {}
};

test('a zip of many files leaves no listeners on the signal of its upload', async () => {
  const { signal } = new AbortController();
  let counted = 0;
  const entries = Array.from({ length: 20 }, (_, i) => ({ path: `${i}.ply`, file: new File(['ply'], `${i}.ply`) }));
  await zip(entries, signal, (bytes) => {
    counted += bytes;
  });
  assert.equal(counted, 60);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a zip stops with its upload', async () => {
  const canceled = new AbortController();
  const entries = [{ path: 'a.ply', file: new File(['ply'], 'a.ply') }];
  const made = zip(entries, canceled.signal, () => {});
  canceled.abort(new DOMException('canceled', 'AbortError'));
  await assert.rejects(made, { name: 'AbortError' });
});
