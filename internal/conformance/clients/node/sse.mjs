// npm graphql-sse as a client, in its distinct connections mode, and npm
// eventsource, which behaves as the EventSource of browsers and can send a key.

import assert from 'node:assert/strict';
import { EventSource } from 'eventsource';
import { createClient } from 'graphql-sse';

import { endings, holder } from './people.mjs';
import { pause, run, within } from './scenarios.mjs';
import {
  assertFollowed, cancelJob, followJob, idle, nodeID, startJob, working,
} from './server.mjs';

const connect = (server, options) => createClient({
  url: server.graphql, headers: { Authorization: server.authorization }, retryAttempts: 0, ...options,
});

// all returns the results of an operation to its end.
async function all(client, query, variables) {
  const results = [];
  for await (const result of client.iterate({ query, variables })) results.push(result);
  return results;
}

// listen opens an EventSource on a document and returns its events by their
// names, up to and with complete.
function listen(server, query, variables, authorization) {
  const address = `${server.graphql}?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`;
  const source = new EventSource(address, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...authorization } }),
  });
  const events = [];
  const ended = new Promise((resolve, reject) => {
    source.addEventListener('next', ({ data }) => events.push(JSON.parse(data)));
    source.addEventListener('complete', ({ data }) => resolve(data));
    source.addEventListener('error', (error) => reject(new Error(`${error.code} ${error.message}`)));
  }).finally(() => source.close());
  return { events, ended };
}

// losesItsKey subscribes with a key that ends while the subscription runs. The stream
// must say so and end within a second.
async function losesItsKey(end) {
  const { person, server } = await holder(idle);
  const states = connect(server).iterate({ query: followJob, variables: { id: await startJob(server) } });
  assert.equal((await states.next()).value.data.job.status, 'QUEUED');
  await end(person, server);
  const { value } = await within(1000, states.next());
  assert.equal(value.errors[0].extensions.code, 'UNAUTHENTICATED');
  assert.equal((await within(1000, states.next())).done, true);
}

const tick = 'subscription($id: ID!) { job(id: $id) { id } }';

await run({
  'sends a query': async () => {
    assert.deepEqual(await all(connect(working), '{ viewer { email } }'), [{ data: { viewer: { email: 'sse@example.com' } } }]);
  },
  'sends a mutation': async () => {
    const [{ data }] = await all(connect(working), 'mutation { createSpace(input: {title: "Hall"}) { space { title } } }');
    assert.equal(data.createSpace.space.title, 'Hall');
  },
  'gets the error of a resolver as a result': async () => {
    const [result, ...more] = await all(connect(working), '{ space(id: "none") { id } }');
    assert.equal(result.errors[0].extensions.code, 'NOT_FOUND');
    assert.deepEqual(more, []);
  },
  'gets an error for a document that is not valid as the only result': async () => {
    const [result, ...more] = await all(connect(working), '{ nothing }');
    assert.match(result.errors[0].message, /nothing/);
    assert.deepEqual([result.data, more], [undefined, []]);
  },
  'is refused a bad key with 401': async () => {
    const client = connect(working, { headers: { Authorization: 'Bearer none' } });
    await assert.rejects(all(client, '{ viewer { id } }'), (error) => {
      assert.equal(error.response?.status, 401, error);
      return true;
    });
  },
  'gets the refusal of a resolver without a key': async () => {
    const [result] = await all(connect(working, { headers: {} }), '{ viewer { id } }');
    assert.equal(result.errors[0].extensions.code, 'UNAUTHENTICATED');
  },
  'follows a job to the end': async () => {
    const results = await all(connect(working), followJob, { id: await startJob(working) });
    assertFollowed(results.map(({ data }) => data.job));
  },
  'stops a subscription early': async () => {
    const job = await startJob(idle);
    const states = connect(idle).iterate({ query: followJob, variables: { id: job } });
    assert.equal((await states.next()).value.data.job.status, 'QUEUED');
    await states.return();
    await cancelJob(idle, job);
    assert.equal((await states.next()).done, true);
  },
  'follows several jobs at once': async () => {
    const jobs = await Promise.all([startJob(idle), startJob(idle), startJob(idle)]);
    const client = connect(idle);
    const following = jobs.map((id) => client.iterate({ query: followJob, variables: { id } }));
    for (const states of following) assert.equal((await states.next()).value.data.job.status, 'QUEUED');
    for (const [i, states] of following.entries()) {
      await cancelJob(idle, jobs[i]);
      const { value } = await states.next();
      assert.deepEqual([value.data.job.id, value.data.job.status], [nodeID('Job', jobs[i]), 'FAILED']);
      assert.equal((await states.next()).done, true);
    }
  },
  'ends when its key is revoked on the account page': () => losesItsKey(endings.page),
  'ends when its key is revoked by GraphQL': () => losesItsKey(endings.graphql),
  'EventSource follows a job and fires complete': async () => {
    const { events, ended } = listen(working, followJob, { id: await startJob(working) }, { Authorization: working.authorization });
    assert.equal(await ended, '');
    assertFollowed(events.map(({ data }) => data.job));
  },
  'EventSource fires complete after a query': async () => {
    const { events, ended } = listen(working, '{ __typename }', {}, {});
    assert.equal(await ended, '');
    assert.deepEqual(events, [{ data: { __typename: 'Query' } }]);
  },
  'EventSource fires complete after a refusal': async () => {
    const { events, ended } = listen(working, tick, { id: 'none' }, {});
    assert.equal(await ended, '');
    assert.equal(events[0].errors[0].extensions.code, 'UNAUTHENTICATED');
  },
  'EventSource runs no mutation': async () => {
    const { ended } = listen(working, 'mutation { createSpace(input: {}) { space { id } } }', {}, { Authorization: working.authorization });
    await assert.rejects(ended, /405/);
  },
  'EventSource gets comments that keep the stream alive': async () => {
    const job = await startJob(idle);
    const stopped = new AbortController();
    const response = await fetch(`${idle.graphql}?${new URLSearchParams({ query: tick, variables: JSON.stringify({ id: job }) })}`, {
      headers: { Accept: 'text/event-stream', Authorization: idle.authorization }, signal: stopped.signal,
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (text.split('\n').filter((line) => line.startsWith(':')).length < 2) { // the first opens the stream
      text += (await within(30_000, reader.read())).value;
    }
    stopped.abort();
  },
});

// By itself: it takes all the streams of the key.
await run({
  'is refused one stream too many with 429': async () => {
    const job = await startJob(idle);
    const stopped = new AbortController();
    const stream = () => fetch(`${idle.graphql}?${new URLSearchParams({ query: tick, variables: JSON.stringify({ id: job }) })}`, {
      headers: { Accept: 'text/event-stream', Authorization: idle.authorization }, signal: stopped.signal,
    });
    await pause(200); // the server counts the streams out that were open before
    const streams = await Promise.all(Array.from({ length: 100 }, stream));
    assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
    const refused = await stream();
    const { errors: [error] } = await refused.json();
    assert.deepEqual([refused.status, error.extensions.code], [429, 'RATE_LIMITED']);
    assert.equal(Number(refused.headers.get('Retry-After')), error.extensions.retryAfterSeconds);
    stopped.abort();
  },
});
process.exit();
