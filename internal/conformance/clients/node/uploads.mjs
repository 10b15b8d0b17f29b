// tus-js-client, which sends a file in pieces to the URL of a resumable upload.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as tus from 'tus-js-client';

import { run } from './scenarios.mjs';
import { call, working } from './server.mjs';

const content = randomBytes(20 << 20);

const create = (parts) => call(working, 'POST', '/v1/files/upload', {
  file_name: 'model.glb', file_size: content.length, content_type: 'model/gltf-binary', resumable: true, parts,
});

// send sends bytes in pieces of 4 MiB, and returns the offsets at which the server has confirmed one.
// It ends early after as many as stopAfter.
function send(bytes, uploadUrl, stopAfter = Infinity) {
  return new Promise((resolve, reject) => {
    const confirmed = [];
    const upload = new tus.Upload(bytes, {
      uploadUrl, chunkSize: 4 << 20, headers: { Authorization: working.authorization },
      onChunkComplete: (_, offset) => {
        confirmed.push(offset);
        if (confirmed.length === stopAfter) upload.abort().then(() => resolve(confirmed), reject);
      },
      onSuccess: () => resolve(confirmed),
      onError: reject,
    });
    upload.start();
  });
}

// assertStored confirms the upload and compares the file with what was sent.
async function assertStored(url) {
  const { url: address } = await call(working, 'POST', '/v1/files/upload-complete', { status: 'success', extra_info: { file_url: url } });
  assert.ok(content.equals(Buffer.from(await (await fetch(address)).arrayBuffer())), 'the file has other bytes');
}

await run({
  'is interrupted and goes on where it stopped': async () => {
    const { params: { url, method } } = await create();
    assert.equal(method, 'PATCH');
    assert.deepEqual(await send(content, url, 2), [4 << 20, 8 << 20]);
    assert.deepEqual(await send(content, url), [12 << 20, 16 << 20, 20 << 20]);
    await assertStored(url);
  },

  'sends parts at the same time': async () => {
    const { params: { url, parts } } = await create(3);
    assert.equal(parts.length, 3);
    await Promise.all(parts.map((part) => send(content.subarray(part.offset, part.offset + part.size), part.url)));
    await assertStored(url);
  },
});
