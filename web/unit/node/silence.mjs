// The page of a space notices that a stream is dead.

import assert from 'node:assert/strict';
import test from 'node:test';
import { serve } from './server.mjs';
import { settled, source } from './source.mjs';

const { isTemporary, subscribe } = await source('space/server/graphql.ts');

test('a stream that is silent for more than 30 s is lost', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  let events;
  const body = new ReadableStream({ start: (controller) => { events = controller; } });
  serve(() => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
  let problem;
  subscribe('subscription Space', {}, () => {}, new AbortController().signal).catch((error) => { problem = error; });
  for (let i = 0; i < 3; i++) {
    await settled();
    t.mock.timers.tick(25_000);
    events.enqueue(new TextEncoder().encode(':\n\n'));
  }
  await settled();
  assert.equal(problem, undefined);
  t.mock.timers.tick(40_000);
  await settled();
  assert.equal(problem?.message, 'The connection was lost');
  assert.ok(isTemporary(problem));
});
