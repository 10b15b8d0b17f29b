// The editor of a space knows how long another editor has locked the space.

import assert from 'node:assert/strict';
import { test, vi } from 'vitest';
import { serve } from '../server/server.testkit.js';

globalThis.window = globalThis;
const { run } = await import('../server/graphql.ts');
const { Lock } = await import('./lock.ts');

const now = Date.parse('2026-05-04T12:00:00Z'); // by the server
const until = '2026-05-04T12:05:00Z';

for (const [clock, wrong] of [
  ['right', 0],
  ['ten minutes ahead', 600_000],
  ['ten minutes behind', -600_000],
]) {
  test(`a lock ends when the server says, with a clock that is ${clock}`, async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: now + wrong });
    serve(() => Response.json({ data: {} }, { headers: { Date: new Date(now).toUTCString() } }));
    await run('query Space', {});
    const states = [];
    const lock = new Lock(() => states.push(lock.held?.name ?? null));
    lock.set({ name: 'Ada', until });
    vi.advanceTimersByTime(299_000);
    assert.deepEqual(states, ['Ada']);
    vi.advanceTimersByTime(1000);
    assert.deepEqual(states, ['Ada', null]);
  });
}
