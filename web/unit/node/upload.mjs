// The editor of a space uploads a file, through faults of the server.

import assert from 'node:assert/strict';
import test from 'node:test';
import { countWaits, refusal, serve, stream } from './server.mjs';
import { source } from './source.mjs';

const { upload } = await source('space/edit/upload.ts');
countWaits();

/** Sends nothing, and succeeds. */
globalThis.XMLHttpRequest = class extends EventTarget {
  status = 200;
  upload = new EventTarget();
  open() {}
  setRequestHeader() {}
  send() { this.dispatchEvent(new Event('load')); }
  abort() { this.dispatchEvent(new Event('abort')); }
};

const file = { id: 'file', resourceKey: 'hall.zip' };
const created = () => Response.json({ data: { createUpload: { upload: { url: 'https://portico.example/u', method: 'PUT', headers: [] } } } });
const confirmed = (confirmation) => Response.json({ data: { completeUpload: { confirmation } } });
const started = () => confirmed({ __typename: 'JobStarted', job: { id: 'job' } });
const completed = () => stream({ job: { id: 'job', status: 'COMPLETED', progress: 100, message: '', error: null, file } });

test('an upload waits for its job while the server has a fault', async () => {
  const streams = [refusal('INTERNAL'), refusal('RATE_LIMITED'), completed()];
  serve((name) => ({ CreateUpload: created, CompleteUpload: started, Job: () => streams.shift() })[name]());
  assert.deepEqual(await upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal), file);
});

test('an upload fails if the server refuses to show its job', async () => {
  serve((name) => ({ CreateUpload: created, CompleteUpload: started, Job: () => refusal('NOT_FOUND') })[name]());
  await assert.rejects(upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal), { code: 'NOT_FOUND' });
});

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

test('an upload that is canceled while it is confirmed cancels its job', async () => {
  const operations = await cancelDuringConfirmation(started);
  assert.deepEqual(operations, [['CancelJob', { jobId: 'job' }]]);
});
