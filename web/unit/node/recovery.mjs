// The console's subscriptions come back after faults of the server, with the client of graphql-ws.

import assert from 'node:assert/strict';
import test from 'node:test';
import { createClient } from 'graphql-ws';
import { settled, source } from './source.mjs';

// The compiler of Svelte replaces this rune.
globalThis.$state = (value) => value;

const { Recovery } = await source('console/server/recovery.ts');
const { subscribe } = await source('console/server/subscribe.ts');

const fault = { code: 4500, reason: 'Internal server error' };

/** Opens a page without a clock. It returns its connections, and a function that subscribes. */
function open(t, random) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(Math, 'random', () => random);
  const connections = [];
  class Socket {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSING = 2;
    static CLOSED = 3;
    readyState = Socket.OPEN;
    /** The operations that were subscribed to. */
    queries = [];
    constructor() {
      connections.push(this);
      queueMicrotask(() => this.onopen());
    }
    send(text) {
      const { type, payload } = JSON.parse(text);
      if (type === 'connection_init') queueMicrotask(() => this.onmessage({ data: '{"type":"connection_ack"}' }));
      if (type === 'subscribe') this.queries.push(payload.query);
    }
    close(event) {
      this.readyState = Socket.CLOSED;
      this.onclose(event);
    }
  }
  const recovery = new Recovery();
  let id = 0;
  const socket = createClient({
    url: 'ws://localhost/graphql', webSocketImpl: Socket, generateID: () => String(id++), retryAttempts: Infinity,
    shouldRetry: () => true,
    retryWait: () => new Promise((resolve) => { recovery.wait(resolve); }),
    on: { connected: () => recovery.connected(), closed: () => recovery.closed() },
  });
  const follow = (query) => subscribe(socket, recovery, { query }, { next() {}, error(error) { throw error; }, complete() {} });
  return { connections, follow };
}

/** Returns how long the page waits until it connects again, in milliseconds. */
async function nextConnection(t, connections) {
  const before = connections.length;
  for (let waited = 0; ; waited += 50) {
    await settled();
    await settled();
    if (connections.length > before) return waited;
    t.mock.timers.tick(50);
    assert.ok(waited < 120_000, 'the page does not come back');
  }
}

test('all subscriptions come back together, after waits that grow', async (t) => {
  const { connections, follow } = open(t, 0.5);
  for (const query of ['spaces', 'files', 'jobs']) follow(query);
  await settled();
  const waits = [];
  for (let faults = 0; faults < 7; faults++) {
    connections.at(-1).close(fault);
    waits.push(await nextConnection(t, connections));
    assert.deepEqual(connections.at(-1).queries, ['spaces', 'files', 'jobs']);
  }
  assert.deepEqual(waits, [2250, 4500, 9000, 18_000, 36_000, 45_000, 45_000]);
  assert.equal(connections.length, 8);
});

test('pages come back at different times', async (t) => {
  const { connections, follow } = open(t, 0);
  follow('spaces');
  await settled();
  connections[0].close(fault);
  assert.equal(await nextConnection(t, connections), 1500);
});

test('a subscription that starts during the wait comes with the others', async (t) => {
  const { connections, follow } = open(t, 0.5);
  follow('spaces');
  const unsubscribe = follow('files');
  await settled();
  connections[0].close(fault);
  await settled();
  follow('entities');
  unsubscribe();
  assert.equal(await nextConnection(t, connections), 2250);
  assert.deepEqual(connections[1].queries, ['spaces', 'entities']);
});

test('connections that cannot be made share the wait, which is never more than a minute', async (t) => {
  const { connections, follow } = open(t, 0.5);
  follow('spaces');
  await settled();
  const waits = [];
  for (let losses = 0; losses < 7; losses++) {
    connections.at(-1).close({ code: 1006, reason: '' });
    waits.push(await nextConnection(t, connections));
  }
  assert.deepEqual(waits, [2250, 4500, 9000, 18_000, 36_000, 45_000, 45_000]);
});

test('the wait is short again after a connection that lasted', async (t) => {
  const { connections, follow } = open(t, 0.5);
  follow('spaces');
  await settled();
  for (const wait of [2250, 4500]) {
    connections.at(-1).close(fault);
    assert.equal(await nextConnection(t, connections), wait);
  }
  t.mock.timers.tick(60_000);
  connections.at(-1).close(fault);
  assert.equal(await nextConnection(t, connections), 2250);
});
