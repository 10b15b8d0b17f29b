import { describe, expect, it } from 'vitest';
import { carried, scaleAround } from './carry.ts';

const halve = scaleAround([2, 0, 0], 0.5);
const isInside = ([x]) => x < 10;
const move = (type, data, isRoom = false) => carried({ type, data }, isRoom, halve, isInside);

describe('carried', () => {
  it('moves an annotation with its view, in the form that it has', () => {
    expect(
      move('AnnotationEntity', { title: 'a', position: [4, 2, 0], camera: { position: { x: 0, y: 2, z: 4 }, target: [4, 2, 0], fov: 40 } }),
    ).toEqual({ title: 'a', position: [3, 1, 0], camera: { position: { x: 1, y: 1, z: 2 }, target: [3, 1, 0], fov: 40 } });
    expect(
      move('AnnotationEntity', { position: { x: 4, y: 2, z: 0 }, camera: { initial: { position: [0, 0, 0], target: [2, 0, 2] } } }),
    ).toEqual({ position: { x: 3, y: 1, z: 0 }, camera: { initial: { position: [1, 0, 0], target: [2, 0, 1] } } });
  });

  it('moves measurements, spawn points, the views of tours and the border', () => {
    expect(
      move('MeasurementEntity', {
        kind: 'distance',
        points: [
          [0, 0, 0],
          [4, 0, 0],
        ],
      })['points'],
    ).toEqual([
      [1, 0, 0],
      [3, 0, 0],
    ]);
    expect(move('SpawnPoint', { position: [2, 3, 4], yaw: 90 })).toEqual({ position: [2, 1.5, 2], yaw: 90 });
    const stops = [
      { annotation: 'a' },
      { camera: { position: [6, 2, 0], target: [0, 0, 0] }, seconds: 3 },
      { camera: { position: [60, 2, 0], target: [0, 0, 0] } },
      null,
    ];
    expect(move('TourEntity', { stops })['stops']).toEqual([
      stops[0],
      { camera: { position: [4, 1, 0], target: [1, 0, 0] }, seconds: 3 },
      stops[2],
      null,
    ]);
    expect(
      move(
        '',
        {
          movement: {
            border: [
              [0, 0, 0],
              [4, 0, 0],
              [4, 0, 4],
            ],
            eyeHeight: 1,
          },
        },
        true,
      )['movement'],
    ).toEqual({
      border: [
        [1, 0, 0],
        [3, 0, 0],
        [3, 0, 2],
      ],
      eyeHeight: 1,
    });
  });

  it('leaves everything else as it is', () => {
    for (const [type, data] of [
      ['AnnotationEntity', { position: [11, 0, 0] }],
      ['AnnotationEntity', { title: 'nowhere' }],
      [
        'MeasurementEntity',
        {
          points: [
            [0, 0, 0],
            [11, 0, 0],
          ],
        },
      ],
      ['TourEntity', { stops: [{ annotation: 'a' }] }],
      ['TourEntity', {}],
      ['UserModelEntity', { position: [4, 0, 0] }],
      ['DynamicGate', { position: [4, 0, 0] }],
    ])
      expect(move(type, data)).toBe(data);
    const settings = { movement: { modes: ['walk'] } };
    expect(move('', settings, true)).toBe(settings);
  });
});
