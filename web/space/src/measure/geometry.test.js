// Measurements and the planes of surfaces.

import { expect, test } from 'vitest';
import { fitPlane, format, measure, meetPlane, readMeasurement } from './geometry.ts';

test('lengths, heights, areas and angles', () => {
  expect(
    measure({
      kind: 'distance',
      points: [
        [0, 0, 0],
        [3, 4, 0],
      ],
    }),
  ).toBe(5);
  expect(
    measure({
      kind: 'polyline',
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [1, 2, 0],
      ],
    }),
  ).toBe(3);
  expect(
    measure({
      kind: 'height',
      points: [
        [0, 1, 0],
        [9, 3.5, 9],
      ],
    }),
  ).toBe(2.5);
  const square = [
    [0, 0, 0],
    [2, 0, 0],
    [2, 0, 3],
    [0, 0, 3],
  ];
  expect(measure({ kind: 'area', points: square })).toBeCloseTo(6);
  expect(measure({ kind: 'area', points: square.map(([x, y, z]) => [z, x, y]) })).toBeCloseTo(6);
  expect(
    measure({
      kind: 'area',
      points: [
        [0, 0, 0],
        [4, 0, 0],
        [4, 0, 4],
        [2, 0, 1],
        [0, 0, 4],
      ],
    }),
  ).toBeCloseTo(10);
  expect(
    measure({
      kind: 'angle',
      points: [
        [1, 0, 0],
        [0, 0, 0],
        [0, 0, 2],
      ],
    }),
  ).toBeCloseTo(90);
  expect(
    measure({
      kind: 'angle',
      points: [
        [1, 0, 0],
        [0, 0, 0],
      ],
    }),
  ).toBe(null);
});

test('values have the unit of their kind', () => {
  expect(format('distance', 1.2345, 'metre', 'en')).toBe('1.23 m');
  expect(format('distance', 0.0123, 'metre', 'de')).toBe('0,012 m');
  expect(format('distance', 0.3048 * 2 - 0.0001, 'foot', 'en')).toBe('2 ft 0.0 in');
  expect(format('height', 1.75, 'foot', 'en')).toBe('5 ft 8.9 in');
  expect(format('area', 1, 'foot', 'en')).toBe('10.8 ft²');
  expect(format('angle', 45.04, 'foot', 'en')).toBe('45.0°');
});

test('a plane is found through noise, and none at an edge', () => {
  const noise = [0.004, -0.003, 0.001, -0.004, 0.002, 0.003, -0.002, 0.001, 0];
  const wall = noise.map((z, i) => [(i % 3) * 0.05, Math.floor(i / 3) * 0.05, 2 + z]);
  const plane = fitPlane(wall, 0.01);
  expect(Math.abs(plane.normal[2])).toBeCloseTo(1, 1);
  expect(meetPlane(plane, [0.05, 0.05, 0], [0, 0, 1])[2]).toBeCloseTo(2, 2);
  expect(fitPlane([...wall, [0.05, 0.05, 3]], 0.01)).toBe(null);
  expect(fitPlane(wall.slice(0, 3), 0.01)).toBe(null);
  expect(
    fitPlane(
      [
        [0, 0, 0],
        [1, 0, 0],
        [2, 0, 0],
        [3, 0, 0],
      ],
      0.01,
    ),
  ).toBe(null);
  expect(meetPlane(plane, [0, 0, 0], [1, 0, 0])).toBe(null);
});

test('measurements of other clients are read with care', () => {
  const points = [[0, 0, 0], { x: 1, y: 2, z: 3 }];
  expect(readMeasurement({ kind: 'distance', points })).toEqual({
    kind: 'distance',
    points: [
      [0, 0, 0],
      [1, 2, 3],
    ],
  });
  for (const wrong of [
    {},
    { kind: 'x', points },
    { kind: 'area', points },
    { kind: 'distance', points: 'x' },
    { kind: 'distance', points: [1, [1e99, 0, 0]] },
  ])
    expect(readMeasurement(wrong)).toBe(null);
  expect(readMeasurement({ kind: 'polyline', points: Array(5000).fill([1, 1, 1]) }).points.length).toBe(200);
});
