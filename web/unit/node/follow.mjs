// A page follows a space through the restart of a server.

import assert from 'node:assert/strict';
import test from 'node:test';
import { countWaits, refusal, serve, stream } from './server.mjs';
import { source } from './source.mjs';

const { followSpace } = await source('space/server/space.ts');
const waits = countWaits();

for (const [code, want] of [['INTERNAL', 1000], ['RATE_LIMITED', 1000], ['NOT_FOUND', 60_000], ['UNAUTHENTICATED', 60_000]]) {
  test(`${code} is tried again after ${want / 1000} s`, async () => {
    const answers = [refusal(code), stream({ space: { __typename: 'SpaceSnapshot' } })];
    serve(() => answers.shift());
    const events = [];
    waits.length = 0;
    await followSpace('hall', (event) => events.push(event.__typename), new AbortController().signal);
    assert.deepEqual([events, waits], [['SpaceSnapshot'], [want]]);
  });
}
