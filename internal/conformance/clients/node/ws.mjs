// npm graphql-ws as a client.

import assert from 'node:assert/strict';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

import { endings, holder } from './people.mjs';
import { pause, run, within } from './scenarios.mjs';
import {
  assertFollowed, cancelJob, followJob, idle, nodeID, readCapture, startJob, working,
} from './server.mjs';

// connect returns a client and a list of what happens to it, as graphql-ws names
// its events. It connects with its first operation and closes after the last.
function connect(server, options = {}) {
  const events = [];
  const on = Object.fromEntries(['connecting', 'connected', 'message', 'closed'].map((name) => [
    name, (...args) => {
      events.push({ name, args });
      options.on?.[name]?.(...args);
    },
  ]));
  const client = createClient({
    url: server.socket, webSocketImpl: WebSocket, connectionParams: { Authorization: server.authorization },
    retryWait: () => Promise.resolve(), ...options, on,
  });
  const count = (name) => events.filter((event) => event.name === name).length;
  return { client, events, count };
}

// one returns the only result of a query or mutation.
async function one(client, query, variables) {
  const results = [];
  for await (const result of client.iterate({ query, variables })) results.push(result);
  assert.equal(results.length, 1);
  return results[0];
}

// dataOf is one without errors.
async function dataOf(client, query, variables) {
  const { data, errors } = await one(client, query, variables);
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

const follow = (client, id) => client.iterate({ query: followJob, variables: { id } });

async function next(states) {
  const { value, done } = await states.next();
  assert.equal(done, false, 'the subscription has ended');
  assert.equal(value.errors, undefined, JSON.stringify(value.errors));
  return value.data.job;
}

// losesItsKey subscribes with a key that ends while the subscription runs. The socket
// must be closed within a second, and a client that knows what 4401 means stays away.
async function losesItsKey(end) {
  const { person, server } = await holder(idle);
  const { client, count } = connect(server, { retryAttempts: 5 });
  const states = follow(client, await startJob(server));
  assert.equal((await next(states)).status, 'QUEUED');
  const closed = assert.rejects(next(states), { code: 4401, reason: 'Unauthorized' });
  await end(person, server);
  await within(1000, closed);
  assert.equal(count('connecting'), 1);
}

await run({
  'sends a query': async () => {
    const { viewer } = await dataOf(connect(working).client, '{ viewer { email } }');
    assert.equal(viewer.email, 'ws@example.com');
  },

  'sends a mutation': async () => {
    const { client, count } = connect(working, { lazyCloseTimeout: 5000 });
    const { createSpace } = await dataOf(client, 'mutation($in: CreateSpaceInput!) { createSpace(input: $in) { space { id } } }', { in: { title: 'Hall' } });
    const { space } = await dataOf(client, 'query($id: ID!) { space(id: $id) { title } }', { id: createSpace.space.id });
    assert.equal(space.title, 'Hall');
    assert.equal(count('connected'), 1, 'it connected again for the second operation');
    await client.dispose();
  },

  'gets the error of a resolver as a result': async () => {
    const result = await one(connect(working).client, '{ space(id: "none") { id } }');
    assert.equal(result.errors[0].extensions.code, 'NOT_FOUND');
    assert.deepEqual(result.errors[0].path, ['space']);
  },

  'gets an error instead of results for a document that is not valid': async () => {
    await assert.rejects(one(connect(working).client, '{ nothing }'), (errors) => {
      assert.match(errors[0].message, /nothing/);
      assert.ok(errors[0].extensions.code);
      return true;
    });
  },

  'uploads a capture and follows its job to the end': async () => {
    const { client, count } = connect(working, { lazyCloseTimeout: 30_000 });
    const content = await readCapture();
    const { createUpload: { upload } } = await dataOf(client,
      'mutation($in: CreateUploadInput!) { createUpload(input: $in) { upload { url method headers { name value } } } }',
      { in: { fileName: 'capture.zip', fileSize: content.length, contentType: 'application/zip' } });
    const headers = upload.headers.map(({ name, value }) => [name, value]);
    const put = await fetch(upload.url, { method: upload.method, headers, body: content });
    assert.equal(put.status, 200, await put.text());
    const { completeUpload: { confirmation: { job } } } = await dataOf(client,
      'mutation($in: CompleteUploadInput!) { completeUpload(input: $in) { confirmation { ... on JobStarted { job { id } } } } }', { in: { fileUrl: upload.url.split('?')[0] } });
    const states = [];
    for await (const { data } of follow(client, job.id)) states.push(data.job);
    assertFollowed(states);
    assert.equal(count('connected'), 1);
    await client.dispose();
  },

  'stops a subscription early': async () => {
    const { client, events } = connect(idle, { lazyCloseTimeout: 30_000 });
    const job = await startJob(idle);
    const states = follow(client, job);
    assert.equal((await next(states)).status, 'QUEUED');
    await states.return();
    await dataOf(client, '{ viewer { id } }'); // the server has read that it is complete
    const before = events.length;
    await cancelJob(idle, job);
    await pause(300);
    assert.deepEqual(events.slice(before), [], 'the change was told all the same');
    await client.dispose();
  },

  'follows several jobs at once over one connection': async () => {
    const { client, count } = connect(idle);
    const jobs = await Promise.all([startJob(idle), startJob(idle), startJob(idle)]);
    const subscriptions = jobs.map((id) => follow(client, id));
    for (const [i, states] of subscriptions.entries()) {
      assert.equal((await next(states)).id, nodeID('Job', jobs[i]));
    }
    for (const [i, states] of [...subscriptions.entries()].reverse()) {
      await cancelJob(idle, jobs[i]);
      const ended = await next(states);
      assert.deepEqual([ended.id, ended.status], [nodeID('Job', jobs[i]), 'FAILED']);
      assert.equal((await states.next()).done, true);
    }
    assert.equal(count('connected'), 1);
  },

  'connects again and goes on when the connection breaks': async () => {
    let socket;
    const { client, count } = connect(idle, { on: { connected: (opened) => { socket = opened; } } });
    const job = await startJob(idle);
    const states = follow(client, job);
    assert.equal((await next(states)).status, 'QUEUED');
    socket.terminate();
    assert.equal((await next(states)).status, 'QUEUED', 'the current state does not come first');
    await cancelJob(idle, job);
    assert.equal((await next(states)).status, 'FAILED');
    assert.equal((await states.next()).done, true);
    assert.equal(count('connected'), 2);
  },

  'is closed with 4401 when its key is revoked on the account page': () => losesItsKey(endings.page),
  'is closed with 4401 when its key is replaced on the account page': () => losesItsKey(endings.replacement),
  'is closed with 4401 when its key is revoked by GraphQL': () => losesItsKey(endings.graphql),
  'is closed with 4401 when its key is revoked by OAuth': () => losesItsKey(endings.oauth),

  'does not try a bad key again': async () => {
    for (const Authorization of ['Bearer none', 'none']) {
      const { client, count } = connect(working, { connectionParams: { Authorization }, retryAttempts: 5 });
      await assert.rejects(one(client, '{ viewer { id } }'), { code: 4401, reason: 'Unauthorized' });
      assert.equal(count('connecting'), 1);
    }
    const { client, count } = connect(working, { connectionParams: {}, retryAttempts: 5 });
    const { errors } = await one(client, '{ viewer { id } }');
    assert.equal(errors[0].extensions.code, 'UNAUTHENTICATED');
    assert.equal(count('connecting'), 1);
  },
});
process.exit();
