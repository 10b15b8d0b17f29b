// A person cancels an upload while the server reserves or frees its storage, or confirms it, or
// when its job has ended.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { onTestFinished, test } from 'vitest';
import { countWaits, refusal, serve } from '../server/server.testkit.js';
import { completed, confirmed, connection, created, file, started } from './uploads.testkit.js';

const { upload } = await import('./upload.ts');
countWaits();

/** Waits until an operation is followed by no other one, and returns all operations. */
async function whenSettled(operations) {
  for (let count = -1; count < operations.length; ) {
    count = operations.length;
    for (let i = 0; i < 20; i++) await settled(); // the response to an operation is read in steps
  }
  return operations;
}

/** Responds to operations by name, and refuses to cancel the job, which has ended with a file. */
const ofEndedJob = (name) => {
  if (name === 'CancelJob') return refusal('INVALID');
  return Response.json({ data: name === 'FileOfJob' ? { job: { file: { id: 'file' } } } : {} });
};

/** Cancels an upload while the server confirms it, and returns the operations with their inputs. */
async function cancelDuringConfirmation(confirm, respond = () => Response.json({ data: {} })) {
  const canceled = new AbortController();
  const operations = [];
  serve((name, variables) => {
    operations.push([name, variables.in ?? variables]);
    if (name === 'CreateUpload') return created();
    if (name !== 'CompleteUpload') return respond(name);
    canceled.abort(new DOMException('canceled', 'AbortError'));
    return confirm();
  });
  await assert.rejects(
    upload(new File(['bytes'], 'hall.zip'), () => {}, canceled.signal),
    { name: 'AbortError' },
  );
  return (await whenSettled(operations)).slice(2);
}

test('an upload that is canceled while it is confirmed adds no file', async () => {
  const operations = await cancelDuringConfirmation(() => confirmed({ __typename: 'FileStored', file }));
  assert.deepEqual(operations, [['DeleteFile', { fileId: 'file' }]]);
});

test('an upload that is canceled while its confirmation is tried again adds no file', async () => {
  const responses = [refusal('INTERNAL'), confirmed({ __typename: 'FileStored', file })];
  const operations = await cancelDuringConfirmation(() => responses.shift());
  assert.deepEqual(operations, [
    ['CompleteUpload', { fileUrl: 'https://portico.example/u' }],
    ['DeleteFile', { fileId: 'file' }],
  ]);
});

test('an upload that is canceled while it is confirmed cancels its job', async () => {
  const operations = await cancelDuringConfirmation(started);
  assert.deepEqual(operations, [['CancelJob', { jobId: 'job' }]]);
});

const discardOfFile = [
  ['CancelJob', { jobId: 'job' }],
  ['FileOfJob', { id: 'job' }],
  ['DeleteFile', { fileId: 'file' }],
];

test('an upload that is canceled when its job has ended adds no file', async () => {
  assert.deepEqual(await cancelDuringConfirmation(started, ofEndedJob), discardOfFile);
});

test('an upload that is canceled as the end of its job arrives adds no file', async () => {
  const canceled = new AbortController();
  const operations = [];
  serve((name, variables) => {
    const respond = { CreateUpload: created, CompleteUpload: started, Job: completed }[name];
    if (respond) return respond();
    operations.push([name, variables.in ?? variables]);
    return ofEndedJob(name);
  });
  const report = ({ step }) => {
    if (step === 'processing') canceled.abort(new DOMException('canceled', 'AbortError'));
  };
  await assert.rejects(upload(new File(['bytes'], 'hall.zip'), report, canceled.signal), { name: 'AbortError' });
  assert.deepEqual(await whenSettled(operations), discardOfFile);
});

test('an upload that is canceled while the server reserves its storage ends at once, and frees it later', async () => {
  const canceled = new AbortController();
  const operations = [];
  let reserve;
  serve((name) => {
    operations.push(name);
    return name === 'CreateUpload'
      ? new Promise((resolve) => {
          reserve = () => resolve(created());
        })
      : Response.json({ data: {} });
  });
  const uploading = upload(new File(['bytes'], 'hall.zip'), () => {}, canceled.signal);
  canceled.abort(new DOMException('canceled', 'AbortError'));
  await assert.rejects(uploading, { name: 'AbortError' });
  assert.deepEqual(operations, ['CreateUpload']);
  reserve();
  assert.deepEqual(await whenSettled(operations), ['CreateUpload', 'AbandonUpload']);
});

test('an upload that is canceled while a dead connection frees its first reservation ends at once', async () => {
  const canceled = new AbortController();
  const operations = [];
  const { receive } = connection;
  onTestFinished(() => {
    connection.receive = receive;
  });
  connection.receive = () => ({ arrived: 2, status: 0 });
  serve((name) => {
    operations.push(name);
    if (name === 'CreateUpload') return created();
    canceled.abort(new DOMException('canceled', 'AbortError'));
    return new Promise(() => {});
  });
  await assert.rejects(
    upload(new File(['bytes'], 'hall.zip'), () => {}, canceled.signal),
    { name: 'AbortError' },
  );
  assert.deepEqual(operations, ['CreateUpload', 'AbandonUpload', 'AbandonUpload']);
});
