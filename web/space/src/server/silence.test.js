// The page of a space notices that a stream is dead.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test, vi } from 'vitest';
import { serve } from './server.testkit.js';

const { isTemporary, run, subscribe } = await import('./graphql.ts');
const { Socket } = await import('./socket.ts');
const { uploadedBytes } = await import('portico-upload/resumable.ts');
const { ConnectionLost } = await import('portico-upload/send.ts');

test('a stream that is silent for more than 30 s is lost', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  let events;
  const body = new ReadableStream({
    start: (controller) => {
      events = controller;
    },
  });
  serve(() => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
  let problem;
  subscribe('subscription Space', {}, () => {}, new AbortController().signal).catch((error) => {
    problem = error;
  });
  for (let i = 0; i < 3; i++) {
    await settled();
    vi.advanceTimersByTime(25_000);
    events.enqueue(new TextEncoder().encode(':\n\n'));
  }
  await settled();
  assert.equal(problem, undefined);
  vi.advanceTimersByTime(40_000);
  await settled();
  assert.equal(problem?.message, 'The connection was lost');
  assert.ok(isTemporary(problem));
});

/**
 * Opens a WebSocket whose other end never answers the close frame. It returns the socket of the
 * page, the connection of the browser, and the types of the messages that the page sends.
 */
async function openSocket() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const sent = [];
  let connection;
  globalThis.location ??= { href: 'https://example.com/' };
  globalThis.WebSocket = class {
    static OPEN = 1;
    readyState = 1;
    constructor() {
      connection = this;
    }
    send(text) {
      sent.push(JSON.parse(text).type);
    }
    close() {
      this.readyState = 2;
    }
  };
  const opening = Socket.open();
  connection.onmessage({ data: '{"type":"connection_ack"}' });
  return { socket: await opening, connection, sent };
}

test('a WebSocket that does not answer a ping within 30 s is lost', async () => {
  const { socket, connection, sent } = await openSocket();
  let problem;
  socket
    .run('subscription Presence', {}, () => {})
    .catch((error) => {
      problem = error;
    });
  for (let i = 0; i < 5; i++) {
    vi.advanceTimersByTime(15_000);
    connection.onmessage({ data: '{"type":"pong"}' });
  }
  await settled();
  assert.equal(problem, undefined);
  assert.deepEqual(sent, ['subscribe', 'ping', 'ping', 'ping', 'ping', 'ping']);
  vi.advanceTimersByTime(15_000);
  vi.advanceTimersByTime(15_000);
  await settled();
  assert.equal(problem?.message, 'The connection was lost');
  assert.equal(connection.readyState, 2);
});

test('the operations of a WebSocket that the page closes fail at once', async () => {
  const { socket, connection, sent } = await openSocket();
  let problem;
  socket
    .run('mutation Move', {}, () => {})
    .catch((error) => {
      problem = error;
    });
  socket.close();
  await settled();
  assert.equal(problem?.message, 'The connection was lost');
  assert.equal(connection.readyState, 2);
  vi.advanceTimersByTime(15_000);
  assert.deepEqual(sent, ['subscribe']);
});

test('a subscription that fails with an error ends on the server, too', async () => {
  const { socket, connection, sent } = await openSocket();
  const following = socket.run('subscription Presence', {}, () => {});
  connection.onmessage({
    data: '{"type":"next","id":"1","payload":{"data":null,"errors":[{"message":"Internal server error","extensions":{"code":"INTERNAL"}}]}}',
  });
  await assert.rejects(following, { code: 'INTERNAL' });
  assert.deepEqual(sent, ['subscribe', 'complete']);
});

/** Ends the timeouts of requests at once. No request gets a response, and each ends with its signal. */
function loseRequests() {
  globalThis.location ??= { href: 'https://example.com/' };
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new DOMException('timed out', 'TimeoutError')));
  vi.spyOn(globalThis, 'fetch').mockImplementation((_address, { signal }) =>
    signal?.aborted ? Promise.reject(signal.reason) : new Promise(() => {}),
  );
}

test('a query without a response ends with a temporary error', async () => {
  loseRequests();
  let problem;
  run('query Space', {}).catch((error) => {
    problem = error;
  });
  await settled();
  assert.equal(problem?.name, 'TimeoutError');
  assert.ok(isTemporary(problem));
});

test('a mutation may take as long as it needs', async () => {
  loseRequests();
  let problem;
  run('mutation CompleteUpload', {}).catch((error) => {
    problem = error;
  });
  await settled();
  assert.equal(problem, undefined);
});

test('the response to a query may take longer once it has begun', async () => {
  const limit = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => limit.signal);
  let body;
  const slow = new ReadableStream({
    start: (controller) => {
      body = controller;
    },
  });
  serve(() => new Response(slow, { headers: { 'Content-Type': 'application/json' } }));
  const result = run('query Space', {});
  await settled();
  limit.abort(new DOMException('timed out', 'TimeoutError'));
  body.enqueue(new TextEncoder().encode('{"data":{"space":null}}'));
  body.close();
  assert.deepEqual(await result, { space: null });
});

test('a request for the offset of an upload without a response is a lost connection', async () => {
  loseRequests();
  let problem;
  uploadedBytes('https://example.com/u').catch((error) => {
    problem = error;
  });
  await settled();
  assert.ok(problem instanceof ConnectionLost, `got ${problem}, want ConnectionLost`);
});
