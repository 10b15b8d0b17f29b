// A space runs the plugins of its entities.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test } from 'vitest';

/** A node of a document that nobody sees. */
class Node extends EventTarget {
  children = new Set();
  append(...children) {
    for (const child of children) this.children.add(child);
  }
  remove() {
    body.children.delete(this);
  }
  setAttribute() {}
}
const body = new Node();
globalThis.document = { body, createElement: () => new Node() };

const { World } = await import('./world.ts');

const app = { on() {}, off() {} };
const node = () => ({ setLocalPosition() {}, setLocalEulerAngles() {}, setLocalScale() {}, destroy() {} });
const camera = { getPosition: () => ({ x: 0, y: 0, z: 0 }), forward: { x: 0, y: 0, z: -1 } };
const plugin = (id) => ({
  entityId: `plugin${id}`,
  type: 'UserModelEntity',
  version: 1,
  createdAt: '',
  data: {},
  readUrl: null,
  file: {
    id: String(id),
    viewUrl: 'https://portico.example/lamp.mjs',
    readUrl: 'https://portico.example/lamp.mjs',
    size: 1,
    facts: null,
    preparation: [],
  },
});
const plugins = (count) => Array.from({ length: count }, (_, i) => plugin(i));

function newWorld() {
  const stage = { app, camera, node, invalidate() {} };
  const settings = {
    frame: 'https://portico.example/plugin',
    allowed: true,
    panels: new Node(),
    space: { id: 'hall', title: 'Hall' },
    language: 'en',
  };
  return new World({ stage, messages: String, plugins: settings }, { changed() {}, groundChanged() {} });
}

test('a page runs at most 16 plugins', async () => {
  const world = newWorld();
  world.replace(plugins(20));
  await settled();
  assert.equal(body.children.size, 16);
  assert.equal(world.items.filter(({ state }) => state === 'failed').length, 4);
  world.replace([]);
  assert.equal(body.children.size, 0);
});

test('a plugin that was removed leaves its place to another', async () => {
  const world = newWorld();
  world.replace(plugins(16));
  await settled();
  world.remove('plugin3');
  world.put(plugin(16));
  await settled();
  assert.equal(body.children.size, 16);
  assert.equal(world.items.at(-1).state, 'shown');
  world.replace([]);
});

test('a plugin that is removed while it starts does not count', async () => {
  const world = newWorld();
  world.replace(plugins(16));
  world.replace([]);
  world.replace(plugins(16));
  await settled();
  assert.equal(world.items.filter(({ state }) => state === 'shown').length, 16);
  world.replace([]);
  assert.equal(body.children.size, 0);
});
