// A bare WebSocket, for what clients do not do: every way to break the protocol,
// and what must not come.

import assert from 'node:assert/strict';
import WebSocket from 'ws';

import { pause, run, within } from './scenarios.mjs';
import { followJob, idle, startJob, working } from './server.mjs';

const protocol = 'graphql-transport-ws';
const init = { type: 'connection_init', payload: { Authorization: idle.authorization } };
const subscribe = (id, query, variables) => ({ id, type: 'subscribe', payload: { query, variables } });
const viewer = (id) => subscribe(id, '{ viewer { id } }');

// Peer is an open socket that keeps the messages which nobody has waited for.
class Peer {
  constructor(socket) {
    this.socket = socket;
    this.messages = [];
    this.waiting = [];
    socket.on('message', (data) => {
      this.messages.push(JSON.parse(data));
      this.waiting.shift()?.();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  // send takes a message, or a text or a buffer to send as it is.
  send(message) {
    this.socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  async receive() {
    if (this.messages.length === 0) {
      await within(10_000, new Promise((resolve) => this.waiting.push(resolve)));
    }
    return this.messages.shift();
  }

  async expect(message) {
    assert.deepEqual(await this.receive(), message);
  }

  async closes(code, reason) {
    const closed = await within(20_000, this.closed);
    assert.equal(closed.code, code, JSON.stringify(closed));
    assert.match(closed.reason, reason);
  }
}

function open(server = idle, { protocols = protocol, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(server.socket, protocols, options);
    const peer = new Peer(socket); // before it opens: a message may come with the handshake
    socket.on('open', () => resolve(peer));
    socket.on('error', reject);
  });
}

// greeted returns a socket that is acknowledged.
async function greeted(server = idle, options) {
  const peer = await open(server, options);
  peer.send({ type: 'connection_init', payload: { Authorization: server.authorization } });
  await peer.expect({ type: 'connection_ack' });
  return peer;
}

// closesAfter is a scenario: the message closes a socket that is acknowledged.
const closesAfter = (message, code, reason) => async () => {
  const peer = await greeted();
  peer.send(message);
  await peer.closes(code, reason);
  assert.deepEqual(peer.messages, []);
};

const invalid = (message, reason = /./) => closesAfter(message, 4400, reason);

await run({
  'closes with 4400 after text that is not JSON': invalid('{"type":', /not valid JSON/),
  'closes with 4400 after JSON that is not an object': invalid('["ping"]', /object/),
  'closes with 4400 after a binary message': invalid(Buffer.from('{"type":"ping"}'), /text/),
  'closes with 4400 after a message without a type': invalid({ id: '1' }, /type/),
  'closes with 4400 after a message of an unknown type': invalid({ type: 'start' }, /start/),
  'closes with 4400 after a message that only a server sends': invalid({ id: '1', type: 'next', payload: {} }, /next/),
  'closes with 4400 after subscribe without an id': invalid({ type: 'subscribe', payload: { query: '{ viewer { id } }' } }, /id/),
  'closes with 4400 after subscribe with an id that is not a string': invalid({ ...viewer('1'), id: 1 }, /id/),
  'closes with 4400 after subscribe without a payload': invalid({ id: '1', type: 'subscribe' }, /payload/),
  'closes with 4400 after subscribe without a query': invalid({ id: '1', type: 'subscribe', payload: {} }, /query/),
  'closes with 4400 after complete without an id': invalid({ type: 'complete' }, /id/),
  'closes with 4400 after a ping whose payload is not an object': invalid({ type: 'ping', payload: 1 }, /payload/),
  'closes with 4400 after connection_init whose payload is not an object': async () => {
    const peer = await open();
    peer.send({ type: 'connection_init', payload: 'key' });
    await peer.closes(4400, /payload/);
  },

  'closes with 4401 after subscribe before connection_init': async () => {
    const peer = await open();
    peer.send(viewer('1'));
    await peer.closes(4401, /^Unauthorized$/);
  },
  'closes with 4401 after a bad key in connection_init': async () => {
    const peer = await open();
    peer.send({ type: 'connection_init', payload: { Authorization: 'Bearer none' } });
    await peer.closes(4401, /^Unauthorized$/);
  },
  'lets a socket without a key read what everybody may see': async () => {
    const peer = await open();
    peer.send({ type: 'connection_init' });
    await peer.expect({ type: 'connection_ack' });
    peer.send(subscribe('1', '{ publicSpaces(first: 1) { pageInfo { hasPreviousPage } } }'));
    const data = { publicSpaces: { pageInfo: { hasPreviousPage: false } } };
    await peer.expect({ id: '1', type: 'next', payload: { data } });
    await peer.expect({ id: '1', type: 'complete' });
    peer.send(viewer('2'));
    assert.equal((await peer.receive()).payload.errors[0].extensions.code, 'UNAUTHENTICATED');
  },
  'closes with 4401 after a bad key in the header': async () => {
    const peer = await open(idle, { headers: { Authorization: 'Bearer none' } });
    peer.send({ type: 'connection_init' });
    await peer.closes(4401, /^Unauthorized$/);
  },

  'closes with 4406 without a subprotocol': async () => {
    await (await open(idle, { protocols: [] })).closes(4406, /^Subprotocol not acceptable$/);
  },
  'closes with 4406 after the subprotocol of old': async () => {
    // Named in a header of its own: ws breaks a handshake off that does not take
    // what it asked for.
    const peer = await open(idle, { protocols: [], headers: { 'Sec-WebSocket-Protocol': 'graphql-ws' } });
    await peer.closes(4406, /^Subprotocol not acceptable$/);
  },
  'closes with 4408 when connection_init does not come': async () => {
    const began = performance.now();
    const peer = await open();
    peer.send({ type: 'ping' }); // does not replace connection_init
    await peer.closes(4408, /^Connection initialisation timeout$/);
    assert.ok(performance.now() - began > 2000, 'nobody can be that quick');
  },
  'closes with 4409 after an id that is taken': async () => {
    const peer = await greeted();
    const id = await startJob(idle);
    peer.send(subscribe('mine', followJob, { id }));
    assert.equal((await peer.receive()).type, 'next');
    peer.send(viewer('mine'));
    await peer.closes(4409, /^Subscriber for mine already exists$/);
  },
  'closes with 4429 after a second connection_init': closesAfter(init, 4429, /^Too many initialisation requests$/),
  'closes with 4429 after a second connection_init before the first is answered': async () => {
    const peer = await open();
    peer.send(init);
    peer.send(init);
    await peer.closes(4429, /^Too many initialisation requests$/);
  },
  'closes with 1009 after a message that is too big': closesAfter(viewer('x'.repeat(1 << 20)), 1009, /./),

  'takes the key in the header of the handshake': async () => {
    const peer = await open(idle, { headers: { Authorization: idle.authorization } });
    peer.send({ type: 'connection_init' });
    await peer.expect({ type: 'connection_ack' });
    peer.send(viewer('1'));
    assert.equal((await peer.receive()).type, 'next');
    await peer.expect({ id: '1', type: 'complete' });
  },
  'answers pings before and after the acknowledgement': async () => {
    const peer = await open();
    peer.send({ type: 'ping', payload: { n: 1 } });
    await peer.expect({ type: 'pong', payload: { n: 1 } });
    peer.send(init);
    await peer.expect({ type: 'connection_ack' });
    peer.send({ type: 'pong' }); // needs no answer
    peer.send({ type: 'ping' });
    await peer.expect({ type: 'pong' });
  },
  'sends nothing after error and frees the id': async () => {
    const peer = await greeted();
    peer.send(subscribe('1', '{ nothing }'));
    const { id, type, payload } = await peer.receive();
    assert.deepEqual([id, type, Array.isArray(payload)], ['1', 'error', true]);
    peer.send({ id: '1', type: 'complete' }); // crosses the error on its way, so it is allowed
    await pause(200);
    assert.deepEqual(peer.messages, []);
    peer.send(viewer('1'));
    assert.equal((await peer.receive()).type, 'next');
    await peer.expect({ id: '1', type: 'complete' });
  },
  'sends nothing after complete from the client': async () => {
    const peer = await greeted();
    const job = await startJob(idle);
    for (let n = 0; n < 10; n++) {
      peer.send(subscribe('1', followJob, { id: job }));
      assert.equal((await peer.receive()).type, 'next');
      peer.send({ id: '1', type: 'complete' });
    }
    peer.send({ type: 'ping' });
    await peer.expect({ type: 'pong' });
    await pause(200);
    assert.deepEqual(peer.messages, []);
  },
  'refuses one operation too many and goes on': async () => {
    const peer = await greeted();
    const job = await startJob(idle);
    for (let n = 1; n <= 100; n++) {
      peer.send(subscribe(`${n}`, followJob, { id: job }));
    }
    for (let n = 1; n <= 100; n++) {
      assert.equal((await peer.receive()).type, 'next');
    }
    peer.send(viewer('more'));
    const { id, type, payload } = await peer.receive();
    assert.deepEqual([id, type, payload[0].extensions.code], ['more', 'error', 'RATE_LIMITED']);
    peer.send({ id: '7', type: 'complete' });
    peer.send(viewer('more'));
    assert.equal((await peer.receive()).type, 'next');
    await peer.expect({ id: 'more', type: 'complete' });
  },
  'closes one socket too many of a key with 1013': async () => {
    const peers = await Promise.all(Array.from({ length: 50 }, () => greeted(working)));
    const peer = await open(working);
    peer.send({ type: 'connection_init', payload: { Authorization: working.authorization } });
    await peer.closes(1013, /50 sockets/);
    peers[0].socket.close();
    await peers[0].closed;
    await pause(200); // the server counts it out a moment later
    await greeted(working);
  },
});
process.exit();
