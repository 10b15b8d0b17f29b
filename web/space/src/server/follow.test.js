// A page follows a space through the restart of a server, and through events that overtake responses.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { onTestFinished, test, vi } from 'vitest';
import { countWaits, proxyRefusal, refusal, serve, stream } from './server.testkit.js';

const { followSpace } = await import('./follow.ts');
const waits = countWaits();
Math.random = () => 0.5; // three quarters of each wait

const chair = (version) => ({ entityId: 'chair', version });
const snapshot = { __typename: 'SpaceSnapshot' };
const changed = (version) => ({ __typename: 'EntityChanged', entity: chair(version) });
const deleted = { __typename: 'EntityDeleted', entityId: 'chair' };
const space = (...nodes) =>
  Response.json({ data: { space: { spaceId: 'hall', entities: { nodes, pageInfo: { hasNextPage: false } } }, room: null } });

for (const [name, refused, want] of [
  ...[
    ['INTERNAL', 750],
    ['RATE_LIMITED', 750],
    ['NOT_FOUND', 45_000],
    ['UNAUTHENTICATED', 45_000],
  ].map(([code, want]) => [code, refusal(code), want]),
  ['404 of a proxy without a server', proxyRefusal(404), 750],
]) {
  test(`${name} is tried again after ${want / 1000} s`, async () => {
    const responses = [refused, stream({ space: deleted })];
    serve(() => responses.shift());
    const changes = [];
    waits.length = 0;
    await followSpace('hall', { changed: (change) => changes.push(change) }, new AbortController().signal);
    assert.deepEqual([changes, waits], [[deleted], [want]]);
  });
}

test('a server that fails after each first event is asked less and less', async () => {
  const lost = () =>
    stream({ space: changed(1) })
      .text()
      .then(
        (text) =>
          new Response(text.replace('event: complete\n\n', ''), {
            headers: { 'Content-Type': 'text/event-stream' },
          }),
      );
  const responses = [lost, lost, lost, lost, () => stream({ space: deleted })];
  serve(() => responses.shift()());
  waits.length = 0;
  await followSpace('hall', { changed() {} }, new AbortController().signal);
  assert.deepEqual(waits, [750, 1500, 3000, 6000]);
});

test('a visitor who loses access after a long connection comes back after the longest wait', async () => {
  let now = 1;
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 60_000;
    return now;
  });
  const forbidden = { errors: [{ message: 'Refused', extensions: { code: 'FORBIDDEN' } }] };
  const events = [{ data: { space: changed(1) } }, forbidden].map((event) => `event: next\ndata: ${JSON.stringify(event)}\n\n`);
  const responses = [new Response(events.join(''), { headers: { 'Content-Type': 'text/event-stream' } }), stream({ space: deleted })];
  serve(() => responses.shift());
  waits.length = 0;
  await followSpace('hall', { changed() {} }, new AbortController().signal);
  assert.deepEqual(waits, [45_000]);
});

/** Follows a space during a test. It returns what the page shows, a function that sends an event, and the functions that respond to the readings. */
async function follow() {
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const shown = [];
  const readings = [];
  const heldResponse = () =>
    new Promise((resolve) => {
      readings.push(resolve);
    });
  let events;
  const body = new ReadableStream({
    start: (controller) => {
      events = controller;
    },
  });
  serve((_, __, kind) =>
    kind === 'subscription' ? new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }) : heldResponse(),
  );
  void followSpace(
    'hall',
    {
      loaded: ({ entities }) => shown.push(entities.map(({ version }) => version)),
      changed: ({ __typename, entity }) => shown.push(entity?.version ?? __typename),
    },
    ended.signal,
  );
  const send = async (event) => {
    events.enqueue(new TextEncoder().encode(`event: next\ndata: ${JSON.stringify({ data: { space: event } })}\n\n`));
    await settled();
    await settled();
  };
  await settled();
  return { shown, readings, send };
}

test('events that overtake the response are shown after it', async () => {
  const { shown, readings, send } = await follow();
  await send(snapshot);
  await send(changed(2));
  await send(deleted);
  assert.deepEqual(shown, []);
  readings[0](space(chair(1)));
  await settled();
  assert.deepEqual(shown, [[1], 2, 'EntityDeleted']);
});

test('the end of a space does not wait for a response', async () => {
  const { shown, send } = await follow();
  await send(snapshot);
  await send({ __typename: 'SpaceDeleted' });
  assert.deepEqual(shown, ['SpaceDeleted']);
});

for (const [name, fault] of [
  ['a fault of the server', refusal('INTERNAL')],
  ['a refusal by a proxy', proxyRefusal(404)],
]) {
  test(`a space is read again after ${name}`, async () => {
    const { shown, readings, send } = await follow();
    waits.length = 0;
    await send(snapshot);
    await send(changed(2));
    readings[0](fault);
    await settled();
    assert.deepEqual([shown, waits], [[2], [750]]);
    await settled();
    await send(changed(3));
    readings[1](space(chair(2)));
    await settled();
    assert.deepEqual(shown, [2, [2], 3]);
  });
}

test('a newer snapshot replaces the reading before it', async () => {
  const { shown, readings, send } = await follow();
  await send(snapshot);
  await send(changed(2));
  await send(snapshot);
  readings[1](space(chair(3)));
  await settled();
  readings[0](space(chair(1)));
  await settled();
  assert.deepEqual(shown, [2, [3]]);
});
