import assert from 'node:assert/strict';
import { test, vi } from 'vitest';
import { Embed } from './embed.ts';

const host = 'https://host.example';

/** Returns an embed in a frame, what it sent to the page around it, and what a frame of the view does. */
function framed(eye) {
  const sent = [];
  const parent = { postMessage: (message) => sent.push(message) };
  const window = Object.assign(new EventTarget(), { parent });
  vi.stubGlobal('window', window);
  vi.stubGlobal('location', { search: '', hash: '' });
  const frames = new Set();
  const embed = new Embed({
    scene: new EventTarget(),
    stage: { app: { on: (_, frame, self) => frames.add(() => frame.call(self)), off: () => frames.clear() } },
    space: { spaceId: 'a-space', title: 'A space' },
    items: () => [],
    modes: () => ['fly', 'orbit'],
    revealed: Promise.resolve(),
    eye: () => eye,
    setMode: (mode) => {
      eye.mode = mode;
    },
  });
  const say = (id, type, more = {}) =>
    window.dispatchEvent(Object.assign(new Event('message'), { data: { portico: 1, id, type, ...more }, source: parent, origin: host }));
  const ask = async (type, more) => {
    const id = sent.length;
    say(id, type, more);
    await vi.waitFor(() => assert.ok(sent.some((answer) => answer.id === id)));
  };
  const draw = () => {
    for (const frame of frames) frame();
  };
  return { embed, sent, say, ask, draw };
}

test('a mode that changes before a frame is drawn is an event', async () => {
  const { embed, sent, ask, draw } = framed({ mode: 'fly', eye: [0, 1, 5], yaw: 0, pitch: 0, distance: 5 });
  const modes = () => sent.filter(({ type }) => type === 'mode').map(({ mode }) => mode);
  await ask('hello');
  await ask('setMode', { mode: 'orbit' });
  draw();
  draw();
  assert.deepEqual(modes(), ['orbit'], 'once');
  embed.destroy();
});

test('a mode that changes twice between two frames is two events', async () => {
  const { embed, sent, ask, draw } = framed({ mode: 'orbit', eye: [0, 1, 5], yaw: 0, pitch: 0, distance: 5 });
  await ask('hello');
  await ask('setMode', { mode: 'fly' });
  await ask('setMode', { mode: 'orbit' });
  draw();
  assert.deepEqual(
    sent.filter(({ type }) => type === 'mode').map(({ mode }) => mode),
    ['fly', 'orbit'],
  );
  embed.destroy();
});

test('nobody hears of modes before hello', async () => {
  const { embed, sent, say, ask, draw } = framed({ mode: 'fly', eye: [0, 1, 5], yaw: 0, pitch: 0, distance: 5 });
  draw();
  say(9, 'setMode', { mode: 'orbit' });
  draw();
  assert.deepEqual(sent, [{ portico: 1, type: 'listening' }]);
  await ask('hello');
  assert.equal(sent.at(-1).mode, 'orbit');
  embed.destroy();
});
