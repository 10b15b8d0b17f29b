// The place where a visit starts.

import { expect, test } from 'vitest';
import { firstView } from './firstview.ts';

const entity = (type, data) => ({
  id: '',
  entityId: `${type}${JSON.stringify(data)}`,
  type,
  version: 1,
  createdAt: '',
  data,
  readUrl: null,
  file: null,
});
const space = (entities, data = {}) => ({
  space: { type: 'INFINITE' },
  entities,
  room: entity('Simple', data),
});
const spawn = (data) => entity('SpawnPoint', data);

test('a visit starts at the visible spawn point that is marked, as other clients read it', () => {
  const points = [
    spawn({ position: [9, 0, 0], hidden: true, isDefaultThirdPerson: true }),
    spawn({ position: [1, 0, 0] }),
    spawn({ position: [2, 0, 0], isDefaultThirdPerson: true }),
    spawn({ position: [3, 5, 0], isDefaultFreeCam: true, capturedIn: 'freeCam', rotation: { x: -20, y: 90 } }),
  ];
  expect(firstView(space(points))).toMatchObject({ eye: [2, 1.6, 0], yaw: 180 });
  expect(firstView(space(points.slice(0, 2))).eye[0]).toBe(1);
  expect(firstView(space(points.slice(0, 1)))).toBe(null);
  expect(firstView(space(points, { defaultCamera: 'free' }))).toMatchObject({ mode: 'fly', eye: [3, 5, 0], yaw: 90, pitch: -20 });
  expect(firstView(space(points.slice(0, 3), { defaultCamera: 'free' })).eye[0]).toBe(2);
});

test('the height of eyes and the allowed modes count', () => {
  const points = [spawn({ position: [0, 1, 0], rotation: { y: 45 } })];
  expect(firstView(space(points, { movement: { eyeHeight: 1 } }))).toMatchObject({ eye: [0, 2, 0], yaw: 45, mode: 'fly' });
  expect(firstView(space(points, { movement: { modes: ['orbit'] } })).mode).toBe('orbit');
  expect(firstView(space(points, { movement: { start: 'orbit' } })).mode).toBe('orbit');
});
