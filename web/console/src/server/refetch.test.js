// The console sends queries again that events outdate, with the cache and the client of urql.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test, vi } from 'vitest';
import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';

const { newCache } = await import('./cache.ts');
const { Refetch } = await import('./refetch.ts');

const filesQuery = gql`query Files { files { __typename totalCount } }`;
const fileQuery = gql`query File($id: ID!) { file(id: $id) { __typename id name } }`;
const fileEvents = gql`subscription FileEvents { viewerFiles { __typename file { __typename id name } } }`;

const file = (id, name) => ({ __typename: 'File', id, name });

/** Opens a page without a clock. It returns its client, its requests, and a function that sends an event. */
async function open() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const requests = [];
  const fetch = (_, { body }) =>
    new Promise((resolve) => {
      const respond = async (response) => {
        resolve(Response.json(response));
        await passed();
      };
      requests.push({
        ...JSON.parse(body),
        returns: (data) => respond({ data }),
        refuse: (extensions) => respond({ errors: [{ message: 'Refused', extensions }] }),
      });
    });
  let events;
  const refetch = new Refetch();
  const client = new Client({
    url: 'http://localhost/graphql',
    preferGetMethod: false,
    fetch,
    exchanges: [
      newCache(refetch),
      refetch.exchange,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: () => ({
          subscribe: (sink) => {
            events = sink;
            return { unsubscribe() {} };
          },
        }),
      }),
    ],
  });
  client.subscription(fileEvents, {}).subscribe(() => {});
  await passed();
  const send = async (type, file = null) => {
    events.next({ data: { viewerFiles: { __typename: type, file } } });
    await passed();
  };
  return { client, requests, send };
}

/** Lets the page do what needs no time: a request or its response takes several turns. */
async function passed() {
  for (let turn = 0; turn < 20; turn++) await settled();
}

/** Lets time pass, in milliseconds. */
async function tick(milliseconds) {
  vi.advanceTimersByTime(milliseconds);
  await passed();
}

test('events make the page ask at once, then once a second, and again after the last event', async () => {
  const { client, requests, send } = await open();
  client.query(filesQuery, {}).subscribe(() => {});
  await passed();
  await requests[0].returns({ files: { __typename: 'FileConnection', totalCount: 0 } });
  const sentAfter = []; // the number of events before each request
  for (let count = 1; count <= 100; count++) {
    await send('FileCreated', file(String(count), 'walls.ply'));
    await tick(25);
    while (requests.length > 1 + sentAfter.length) {
      sentAfter.push(count);
      await requests[sentAfter.length].returns({ files: { __typename: 'FileConnection', totalCount: count } });
    }
  }
  await tick(1000);
  assert.equal(sentAfter[0], 1);
  assert.deepEqual(sentAfter, [1, 40, 80]); // the first request is sent when no time has passed
  assert.equal(requests.length, 1 + sentAfter.length + 1, 'the last event needs a request');
  await tick(60_000);
  assert.equal(requests.length, 1 + sentAfter.length + 1);
});

test('a response that an event overtook is asked for again', async () => {
  const { client, requests, send } = await open();
  let shown;
  client.query(fileQuery, { id: '1' }).subscribe(({ data }) => {
    shown = data?.file?.name;
  });
  await passed();
  await send('FileChanged', file('1', 'new'));
  await requests[0].returns({ file: file('1', 'old') });
  await tick(0);
  await requests[1].returns({ file: file('1', 'new') });
  assert.equal(shown, 'new');
  assert.equal(requests.length, 2);
});

test('an event is not hidden by an older response while the response to an earlier query is missing', async () => {
  const { client, requests, send } = await open();
  const shown = {};
  const watch = async (id) => {
    client.query(fileQuery, { id }).subscribe(({ data }) => {
      shown[id] = data?.file?.name;
    });
    await passed();
  };
  await watch('slow');
  await watch('1');
  await requests[1].returns({ file: file('1', 'old') });
  await send('FileChanged', file('2', 'old'));
  await watch('3');
  await requests[2].returns({ file: file('3', 'old') });
  await send('FileChanged', file('3', 'new'));
  await requests[0].returns({ file: file('slow', 'old') });
  for (let sent = 3; sent < requests.length || sent === 3; sent++) {
    await tick(1000);
    const { id } = requests[sent].variables;
    await requests[sent].returns({ file: file(id, id === '3' ? 'new' : 'old') });
  }
  assert.equal(shown['3'], 'new');
});

test('a refused query waits as long as the server says, whatever events come', async () => {
  const { client, requests, send } = await open();
  client.query(filesQuery, {}).subscribe(() => {});
  await passed();
  await send('FileCreated', file('1', 'walls.ply')); // overtakes the refusal
  await requests[0].refuse({ code: 'RATE_LIMITED', retryAfterSeconds: 7 });
  for (let second = 0; second < 6; second++) {
    await send('FileCreated', file(String(second), 'walls.ply'));
    await tick(1000);
  }
  assert.equal(requests.length, 1);
  await tick(1000);
  assert.equal(requests.length, 2);
  await requests[1].returns({ files: { __typename: 'FileConnection', totalCount: 1 } });
  await tick(60_000);
  assert.equal(requests.length, 2);
});

test('an error that an event overtook is asked for once more, five seconds later', async () => {
  const { client, requests, send } = await open();
  client.query(filesQuery, {}).subscribe(() => {});
  await passed();
  await send('FileCreated', file('1', 'walls.ply'));
  await requests[0].refuse({ code: 'INTERNAL' });
  await tick(4999);
  assert.equal(requests.length, 1);
  await tick(1);
  await requests[1].refuse({ code: 'INTERNAL' });
  await tick(60_000);
  assert.equal(requests.length, 2);
});
