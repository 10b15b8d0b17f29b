// A person cancels an upload while the server confirms it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { countWaits, refusal, serve } from './server.mjs';
import { source } from './source.mjs';
import { confirmed, created, file, started } from './uploadserver.mjs';

const { upload } = await source('space/edit/upload.ts');
countWaits();

/** Cancels an upload while the server confirms it, and returns the operations with their inputs. */
async function cancelDuringConfirmation(confirm) {
  const canceled = new AbortController();
  const operations = [];
  serve((name, variables) => {
    operations.push([name, variables.in]);
    if (name === 'CreateUpload') return created();
    if (name !== 'CompleteUpload') return Response.json({ data: {} });
    canceled.abort(new DOMException('canceled', 'AbortError'));
    return confirm();
  });
  await assert.rejects(upload(new File(['bytes'], 'hall.zip'), () => {}, canceled.signal), { name: 'AbortError' });
  return operations.slice(2);
}

test('an upload that is canceled while it is confirmed adds no file', async () => {
  const operations = await cancelDuringConfirmation(() => confirmed({ __typename: 'FileStored', file }));
  assert.deepEqual(operations, [['DeleteFile', { fileId: 'file' }]]);
});

test('an upload that is canceled while its confirmation is tried again adds no file', async () => {
  const answers = [refusal('INTERNAL'), confirmed({ __typename: 'FileStored', file })];
  const operations = await cancelDuringConfirmation(() => answers.shift());
  assert.deepEqual(operations, [['CompleteUpload', { fileUrl: 'https://portico.example/u' }], ['DeleteFile', { fileId: 'file' }]]);
});

test('an upload that is canceled while it is confirmed cancels its job', async () => {
  const operations = await cancelDuringConfirmation(started);
  assert.deepEqual(operations, [['CancelJob', { jobId: 'job' }]]);
});
