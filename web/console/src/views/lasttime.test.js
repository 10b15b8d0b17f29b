import assert from 'node:assert/strict';
import { test } from 'vitest';

const kept = new Map();
globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
const { lastTime, remember } = await import('./lasttime.ts');

test('figures are news after an hour, and each account has its own', () => {
  assert.equal(lastTime('1', 0), undefined);
  remember('1', { visits: 3, followers: 1 }, 0);
  assert.equal(lastTime('1', 3_599_999), undefined);
  remember('1', { visits: 9, followers: 9 }, 1000); // the same visit
  assert.deepEqual(lastTime('1', 3_600_000), { visits: 3, followers: 1, at: 0 });
  assert.equal(lastTime('2', 3_600_000), undefined);
  remember('1', { visits: 9, followers: 2 }, 3_600_000);
  assert.deepEqual(lastTime('1', 7_200_000), { visits: 9, followers: 2, at: 3_600_000 });
});

test('what is no figure is no last time', () => {
  for (const broken of ['', '{', '{"visits":"3","followers":0,"at":0}', 'null', '[]']) {
    kept.set('portico.figures.1', broken);
    assert.equal(lastTime('1', 1e12), undefined);
  }
});
