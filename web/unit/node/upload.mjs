// The editor of a space uploads a file, through faults of the server.

import assert from 'node:assert/strict';
import test from 'node:test';
import { countWaits, refusal, serve, stream } from './server.mjs';
import { source } from './source.mjs';

const { upload } = await source('space/edit/upload.ts');
const waits = countWaits();

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

test('an upload waits longer and longer between streams that end before its job', async () => {
  const processing = () => stream({ job: { id: 'job', status: 'PROCESSING', progress: 40, message: '', error: null, file: null } });
  const streams = [stream(), processing(), refusal('INTERNAL'), processing(), completed()];
  serve((name) => ({ CreateUpload: created, CompleteUpload: started, Job: () => streams.shift() })[name]());
  waits.length = 0;
  assert.deepEqual(await upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal), file);
  assert.deepEqual(waits, [1000, 2000, 4000, 8000]);
});

test('an upload fails if the server refuses to show its job', async () => {
  serve((name) => ({ CreateUpload: created, CompleteUpload: started, Job: () => refusal('NOT_FOUND') })[name]());
  await assert.rejects(upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal), { code: 'NOT_FOUND' });
});

test('an upload is confirmed again after a fault of the server and a lost connection', async () => {
  const answers = [refusal('INTERNAL'), new Response('Bad gateway', { status: 502 }), null, confirmed({ __typename: 'FileStored', file })];
  const operations = [];
  serve((name) => {
    operations.push(name);
    const answer = name === 'CreateUpload' ? created() : answers.shift();
    if (!answer) throw new TypeError('Failed to fetch');
    return answer;
  });
  waits.length = 0;
  assert.deepEqual(await upload(new File(['bytes'], 'hall.glb'), () => {}, new AbortController().signal), file);
  assert.deepEqual(operations, ['CreateUpload', ...Array(4).fill('CompleteUpload')]);
  assert.deepEqual(waits, [1000, 2000, 4000]);
});

test('an upload whose confirmation is refused frees its reservation', async () => {
  const operations = [];
  serve((name) => {
    operations.push(name);
    return { CreateUpload: created, CompleteUpload: () => refusal('QUOTA_EXCEEDED'), AbandonUpload: () => Response.json({ data: {} }) }[name]();
  });
  await assert.rejects(upload(new File(['bytes'], 'hall.glb'), () => {}, new AbortController().signal), { code: 'QUOTA_EXCEEDED' });
  assert.deepEqual(operations, ['CreateUpload', 'CompleteUpload', 'AbandonUpload']);
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

test('an upload that is canceled while its confirmation is tried again adds no file', async () => {
  const answers = [refusal('INTERNAL'), confirmed({ __typename: 'FileStored', file })];
  const operations = await cancelDuringConfirmation(() => answers.shift());
  assert.deepEqual(operations, [['CompleteUpload', { fileUrl: 'https://portico.example/u' }], ['DeleteFile', { fileId: 'file' }]]);
});

test('an upload that is canceled while it is confirmed cancels its job', async () => {
  const operations = await cancelDuringConfirmation(started);
  assert.deepEqual(operations, [['CancelJob', { jobId: 'job' }]]);
});
