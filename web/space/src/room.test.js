// The settings that decide how visitors move.

import { expect, test } from 'vitest';
import { fieldOfViewOf, hasLook, keepInside, movementOf } from './room.ts';

const wrong = [null, '', 'x', true, [], {}, [null], { x: 'a' }, Number.NaN, Infinity, -1e300, 1e300];
const square = [
  [0, 0, 0],
  [4, 0, 0],
  [4, 0, 4],
  [0, 0, 4],
];

test('settings that cannot be read have no effect', () => {
  const plain = movementOf({});
  expect(plain).toEqual({ eyeHeight: 1.6, speed: 1, start: null, modes: null, border: [], isBorderShown: true, orbit: null });
  for (const value of ['', 'x', true, [], {}, null, Number.NaN, Infinity]) {
    const nested = { start: value, modes: value, border: value, orbit: value, eyeHeight: value };
    expect(movementOf({ movement: nested, moveSpeed: value, defaultCamera: value })).toEqual(plain);
    expect(movementOf({ movement: value })).toEqual(plain);
    expect(fieldOfViewOf({ cameraFOV: value }, 60)).toBe(60);
  }
  for (const value of wrong) {
    const { border } = movementOf({ movement: { border: [value, value, value, [0, 0, 0]] } });
    expect(border.every((corner) => corner.every(Number.isFinite))).toBe(true);
  }
});

test('numbers out of range are brought into it', () => {
  expect(movementOf({ moveSpeed: 1e9, movement: { eyeHeight: -4 } })).toMatchObject({ speed: 3 / 0.8, eyeHeight: 0.3 });
  expect(fieldOfViewOf({ cameraFOV: 500 }, 60)).toBe(120);
  expect(movementOf({ movement: { orbit: { nearest: 5, farthest: 2, lowest: 40, highest: 10 } } }).orbit).toEqual({
    nearest: 5,
    farthest: 5,
    lowest: 40,
    highest: 40,
  });
});

test('modes and the start are read, and the free camera of other clients flies', () => {
  expect(movementOf({ movement: { modes: ['orbit', 'swim', 'walk'], start: 'orbit' } })).toMatchObject({
    modes: ['walk', 'orbit'],
    start: 'orbit',
  });
  expect(movementOf({ defaultCamera: 'free' }).start).toBe('fly');
  expect(movementOf({ defaultCamera: 'third' }).start).toBe(null);
});

test('a place outside of a border moves to its edge', () => {
  expect(keepInside(square, 1, 2)).toEqual([1, 2]);
  expect(keepInside(square, 6, 2)).toEqual([4, 2]);
  expect(keepInside([...square].reverse(), -3, -3)).toEqual([0, 0]);
  expect(keepInside(square.slice(0, 2), 9, 9)).toEqual([9, 9]);
});

test('only settings of a look load what shows one', () => {
  for (const name of [
    'framePosteffectParams',
    'skyboxImage',
    'skyGradient',
    'introSoundURL',
    'backgroundColor',
    'vignette',
    'stageLightColor',
  ])
    expect(hasLook({ [name]: 'x' })).toBe(true);
  expect(hasLook({ skyboxImage: '', vignette: null, moveSpeed: 1, cameraFOV: 40, start: {}, sky: 1, wallColor: '#fff' })).toBe(false);
});
