// Paths play as their format says, and tours are paths.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { cameraId, markersBetween, readPath, valueAt, writePath } from './sequence.ts';
import { compileTour, flight, stopEvent } from './tour.ts';
import { rotationOf } from './viewpoint.ts';

/** The uniform Catmull-Rom spline in its usual form, with repeated ends. */
const spline = (p, i, t) => {
  const [a, b, c, d] = [p[Math.max(0, i - 1)], p[i], p[i + 1], p[Math.min(p.length - 1, i + 2)]];
  return b.map(
    (_, k) =>
      0.5 *
      (2 * b[k] + (c[k] - a[k]) * t + (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * t ** 2 + (3 * b[k] - a[k] - 3 * c[k] + d[k]) * t ** 3),
  );
};
const vector = ([x, y, z, w]) => (w === undefined ? { x, y, z } : { x, y, z, w });
const angle = (a, b) => {
  const length = Math.hypot(...b);
  return (2 * Math.acos(Math.min(1, Math.abs(a.reduce((sum, v, i) => sum + (v * b[i]) / length, 0)))) * 180) / Math.PI;
};
const track = (sequence, property) => sequence.entities.get(cameraId).find((one) => one.property === property);

/** Compares each tenth of a frame with the formula: 1 mm and 0.1 degrees. */
function checkPath(file, places, turns, frames) {
  const sequence = readPath(file);
  for (let i = 0; i + 1 < frames.length; i++) {
    for (let t = 0; t < 1; t += 0.05) {
      const frame = frames[i] + t * (frames[i + 1] - frames[i]);
      const [want, got] = [spline(places, i, t), valueAt(track(sequence, 'position'), frame)];
      assert.ok(Math.hypot(...want.map((v, k) => v - got[k])) < 0.001, `position at ${frame}: got ${got}, want ${want}`);
      assert.ok(angle(valueAt(track(sequence, 'rotation'), frame), spline(turns, i, t)) < 0.1, `rotation at ${frame}`);
    }
  }
}

test('a path of an intro flight plays by the formula, with tracks without keys', () => {
  // 24 frames a second, a key each 15 frames, scale always 1, and tracks without keys.
  const frames = Array.from({ length: 12 }, (_, i) => i * 15);
  const places = frames.map((_, i) => [4 * Math.cos(i / 2), 1.6 + 0.1 * i, 4 * Math.sin(i / 2)]);
  const turns = frames.map((_, i) => rotationOf(-28 * i, -5));
  const keys = (values) => values.map((value, i) => ({ id: `k${i}`, frameNumber: frames[i], keyframeData: vector(value) }));
  const empty = (type) => ({ type, keyframes: [] });
  const file = {
    id: 'splatjsintro',
    data: {
      fps: 24,
      entities: {
        [cameraId]: {
          position: { type: 'vec3', keyframes: keys(places) },
          // Each second rotation is written with the other sign, which means the same.
          rotation: { type: 'quat', keyframes: keys(turns.map((q, i) => (i % 2 ? q.map((v) => -v) : q))) },
          scale: { type: 'vec3', keyframes: keys(frames.map(() => [1, 1, 1])) },
          fov: empty('number'),
          brightness: empty('number'),
          contrast: empty('number'),
          saturation: empty('number'),
        },
      },
      markers: [],
    },
  };
  checkPath(file, places, turns, frames);
  const sequence = readPath(file);
  assert.equal(sequence.fps, 24);
  assert.equal(sequence.length, 165);
  assert.deepEqual(
    sequence.entities.get(cameraId).map(({ property }) => property),
    ['position', 'rotation', 'scale'],
  );
  assert.deepEqual(valueAt(track(sequence, 'position'), 1000), places.at(-1), 'after the last key');
});

test('a path of a time line plays by the formula between keys at unequal distances', () => {
  const frames = [7, 40, 41, 100, 220];
  const places = [
    [0, 1, 6],
    [2, 1.2, 4],
    [2.1, 1.2, 4],
    [-1, 3, 0.5],
    [0, 1, -2],
  ];
  const turns = [
    [0, 0],
    [30, 10],
    [31, 10],
    [95, -20],
    [170, 0],
  ].map(([yaw, pitch]) => rotationOf(yaw, pitch));
  const keys = (values) => values.map((value, i) => ({ id: `k${i}`, frameNumber: frames[i], keyframeData: vector(value) })).reverse();
  const file = {
    id: 'timeline',
    data: {
      fps: 30,
      entities: {
        [cameraId]: {
          position: { type: 'vec3', keyframes: keys(places) },
          rotation: { type: 'quat', keyframes: keys(turns) },
          fov: {
            type: 'number',
            keyframes: [
              { id: 'f', frameNumber: 0, keyframeData: 50 },
              { id: 'g', frameNumber: 10, keyframeData: 70 },
            ],
          },
        },
      },
      markers: [],
    },
  };
  checkPath(file, places, turns, frames);
  const sequence = readPath(file);
  assert.deepEqual(valueAt(track(sequence, 'position'), 0), places[0], 'before the first key');
  assert.deepEqual(valueAt(track(sequence, 'fov'), 5), [60]);
  const again = readPath(JSON.parse(JSON.stringify(writePath('again', sequence))));
  for (let frame = 0; frame <= 220; frame += 3) {
    const [want, got] = [sequence, again].map((one) => valueAt(track(one, 'position'), frame));
    assert.ok(Math.hypot(...want.map((v, k) => v - got[k])) < 1e-5, `after writing, at ${frame}`);
  }
});

test('of two keys on one frame the value jumps', () => {
  const keyframes = [
    [0, 1],
    [10, 2],
    [10, 5],
    [20, 5],
  ].map(([frameNumber, keyframeData], i) => ({ id: `${i}`, frameNumber, keyframeData }));
  const sequence = readPath({ id: 'jump', data: { entities: { lamp: { scale: { type: 'number', keyframes } } } } });
  const [scale] = sequence.entities.get('lamp');
  assert.equal(valueAt(scale, 10)[0], 5);
  assert.ok(valueAt(scale, 9.99)[0] < 2.1);
});

test('markers fire in the order of the playback', () => {
  const markers = [30, 10, 20].map((frameNumber) => ({ id: `m${frameNumber}`, frameNumber, label: `${frameNumber}`, color: '#fff' }));
  const keyframes = [{ id: 'a', frameNumber: 40, keyframeData: 1 }];
  const sequence = readPath({ id: 'm', data: { fps: 30, entities: { a: { scale: { type: 'number', keyframes } } }, markers } });
  assert.deepEqual(
    markersBetween(sequence, 5, 30).map(({ frame }) => frame),
    [10, 20, 30],
  );
  assert.deepEqual(
    markersBetween(sequence, 30, 0).map(({ frame }) => frame),
    [20, 10],
  );
});

test('what is no path is refused, and what is disabled does not play', () => {
  const path = (keyframeData, frameNumber = 0) => ({
    data: { entities: { a: { position: { type: 'vec3', keyframes: [{ frameNumber, keyframeData }] } } } },
  });
  for (const file of [
    null,
    [],
    'x',
    {},
    path({ x: 1, y: 'a', z: 0 }),
    path({ x: 1, y: 1, z: 1 }, -1),
    path({ x: 1, y: 1, z: Infinity }),
    path(null),
  ])
    assert.throws(() => readPath(file), Error, JSON.stringify(file));
  const many = Array.from({ length: 2001 }, (_, frameNumber) => ({ frameNumber, keyframeData: { x: 0, y: 0, z: 0 } }));
  assert.throws(() => readPath({ data: { entities: { a: { position: { type: 'vec3', keyframes: many } } } } }), /2000/);
  assert.equal(readPath({ ...path({ x: 0, y: 0, z: 0 }), disabled: true }), null);
  assert.equal(readPath({ data: { entities: {} } }), null);
});

const stop = (position, target, seconds, other = {}) => ({
  annotation: '',
  title: '',
  text: '',
  sound: '',
  seconds,
  flight: 2,
  view: { position, target, fov: null },
  ...other,
});

test('a tour stands still at its stops, and its file plays as the tour', () => {
  const stops = [
    stop([0, 1.6, 4], [0, 1, 0], 2),
    stop([4, 1.6, 0], [0, 1, 0], 3, { annotation: 'fountain' }),
    stop([0, 1.6, -4], [0, 1, 0], 1),
  ];
  const { sequence, halts } = compileTour('Garden', stops, () => null);
  assert.deepEqual(
    halts.map(({ arrive, leave }) => [arrive, leave]),
    [
      [0, 60],
      [120, 210],
      [270, 300],
    ],
  );
  for (const { arrive, leave, view } of halts)
    for (let frame = arrive; frame <= leave; frame++)
      assert.ok(Math.hypot(...view.position.map((v, i) => v - valueAt(track(sequence, 'position'), frame)[i])) < 0.02, `still at ${frame}`);
  // It turns around what it looks at, and never flies through it.
  for (let frame = 60; frame < 120; frame++) {
    const [x, , z] = valueAt(track(sequence, 'position'), frame);
    assert.ok(Math.hypot(x, z) > 3.9, `distance at ${frame}: ${Math.hypot(x, z)}`);
  }
  assert.deepEqual(
    sequence.markers.map(({ event, payload }) => [event, payload.annotation]),
    [
      [stopEvent, ''],
      [stopEvent, 'fountain'],
      [stopEvent, ''],
    ],
  );
  const file = readPath(JSON.parse(JSON.stringify(writePath('garden', sequence))));
  assert.equal(file.length, 300);
  assert.deepEqual(file.markers, sequence.markers);
});

test('a tour of a hundred stops and an hour stays within the limits of a path', () => {
  const stops = Array.from({ length: 100 }, (_, i) => stop([i, 1, 0], [i, 1, -1], 16, { flight: 20 }));
  const { sequence } = compileTour('Long', stops, () => null);
  assert.ok(readPath(JSON.parse(JSON.stringify(writePath('long', sequence)))));
});

test('a flight ends at its view', () => {
  const [from, to] = [stop([0, 1, 5], [0, 1, 0], 0).view, stop([3, 2, 0], [0, 1, 0], 0).view];
  const sequence = flight(from, to, 1);
  assert.deepEqual(
    valueAt(track(sequence, 'position'), sequence.length).map((v) => Number(v.toFixed(6))),
    to.position,
  );
});
