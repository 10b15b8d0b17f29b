// The console's subscriptions come back after faults of the server, with the client of graphql-ws.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test, vi } from 'vitest';
import { createClient } from 'graphql-ws';

const { Recovery } = await import('./recovery.ts');
const { subscribe } = await import('./subscribe.ts');

const fault = { code: 4500, reason: 'Internal server error' };

/** Opens a page without a clock. It returns its connections, and a function that subscribes. */
function open(random) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(Math, 'random').mockImplementation(() => random);
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
    url: 'ws://localhost/graphql',
    webSocketImpl: Socket,
    generateID: () => String(id++),
    retryAttempts: Infinity,
    shouldRetry: () => true,
    retryWait: () =>
      new Promise((resolve) => {
        recovery.wait(resolve);
      }),
    on: { connected: () => recovery.connected(), closed: () => recovery.closed() },
  });
  const follow = (query) =>
    subscribe(
      socket,
      recovery,
      { query },
      {
        next() {},
        error(error) {
          throw error;
        },
        complete() {},
      },
    );
  return { connections, follow };
}

/** Returns how long the page waits until it connects again, in milliseconds. */
async function nextConnection(connections) {
  const before = connections.length;
  for (let waited = 0; ; waited += 50) {
    await settled();
    await settled();
    if (connections.length > before) return waited;
    vi.advanceTimersByTime(50);
    assert.ok(waited < 120_000, 'the page does not come back');
  }
}

test('all subscriptions come back together, after waits that grow', async () => {
  const { connections, follow } = open(0.5);
  for (const query of ['spaces', 'files', 'jobs']) follow(query);
  await settled();
  const waits = [];
  for (let faults = 0; faults < 7; faults++) {
    connections.at(-1).close(fault);
    waits.push(await nextConnection(connections));
    assert.deepEqual(connections.at(-1).queries, ['spaces', 'files', 'jobs']);
  }
  assert.deepEqual(waits, [2250, 4500, 9000, 18_000, 36_000, 45_000, 45_000]);
  assert.equal(connections.length, 8);
});

test('pages come back at different times', async () => {
  const { connections, follow } = open(0);
  follow('spaces');
  await settled();
  connections[0].close(fault);
  assert.equal(await nextConnection(connections), 1500);
});

test('a subscription that starts during the wait comes with the others', async () => {
  const { connections, follow } = open(0.5);
  follow('spaces');
  const unsubscribe = follow('files');
  await settled();
  connections[0].close(fault);
  await settled();
  follow('entities');
  unsubscribe();
  assert.equal(await nextConnection(connections), 2250);
  assert.deepEqual(connections[1].queries, ['spaces', 'entities']);
});

test('connections that cannot be made share the wait, which is never more than a minute', async () => {
  const { connections, follow } = open(0.5);
  follow('spaces');
  await settled();
  const waits = [];
  for (let losses = 0; losses < 7; losses++) {
    connections.at(-1).close({ code: 1006, reason: '' });
    waits.push(await nextConnection(connections));
  }
  assert.deepEqual(waits, [2250, 4500, 9000, 18_000, 36_000, 45_000, 45_000]);
});

test('the wait is short again after a connection that lasted', async () => {
  const { connections, follow } = open(0.5);
  follow('spaces');
  await settled();
  for (const wait of [2250, 4500]) {
    connections.at(-1).close(fault);
    assert.equal(await nextConnection(connections), wait);
  }
  vi.advanceTimersByTime(60_000);
  connections.at(-1).close(fault);
  assert.equal(await nextConnection(connections), 2250);
});
