import assert from 'node:assert/strict';
import { test } from 'vitest';
import { isForUs, readRequest } from './message.ts';

test('other messages of pages are ignored', () => {
  for (const message of [null, undefined, 'portico', 1, [], {}, { portico: '1' }, { portico: 2, type: 'hello' }, [{ portico: 1 }]]) {
    assert.equal(isForUs(message), false, JSON.stringify(message));
  }
  assert.equal(isForUs({ portico: 1, type: 'hello' }), true);
});

test('a view is the text of a link, or two places', () => {
  const { view } = readRequest({ type: 'setView', view: '#view=walk,0,1.6,2,90,0,4' });
  assert.deepEqual([view.mode, view.eye, view.yaw], ['walk', [0, 1.6, 2], 90]);
  const seen = readRequest({ type: 'setView', position: [0, 1, 5], target: [0, 1, 0] }).view;
  assert.deepEqual([seen.mode, seen.eye, Math.abs(seen.yaw), seen.distance], ['fly', [0, 1, 5], 0, 5]);
});

test('what is wrong is named', () => {
  for (const [message, reason] of [
    [{}, /type must be one of/],
    [{ type: ['hello'] }, /type must be one of/],
    [{ type: 'open', entityId: 7 }, /entityId/],
    [{ type: 'setMode', mode: 'toString' }, /mode/],
    [{ type: 'setView', view: 'walk,0,0' }, /view/],
    [{ type: 'setView', position: [0, 0, 0], target: [0, 0, 0] }, /position and target/],
    [{ type: 'setView', position: [0, 0, Infinity], target: [0, 0, 0] }, /position and target/],
    [{ type: 'setLook', look: { text: 'x'.repeat(2 << 20) } }, /too large/],
  ]) {
    assert.throws(() => readRequest(message), reason);
  }
});
