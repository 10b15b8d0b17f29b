// Changes of fields that have fields of their own.

import { expect, test } from 'vitest';
import { currentValues, difference, merge, wholeFields } from './fields.ts';

const room = { framePosteffectParams: { brightness: 1.2, contrast: 1.1 }, cameraFOV: 70 };

test('fields of the look are merged and compared one by one', () => {
  const change = { framePosteffectParams: { brightness: 1.5 } };
  expect(merge(room, change)).toEqual({ framePosteffectParams: { brightness: 1.5, contrast: 1.1 }, cameraFOV: 70 });
  expect(difference(room, { framePosteffectParams: { brightness: 1.2, contrast: 1 } })).toEqual({ framePosteffectParams: { contrast: 1 } });
});

test('the server gets whole fields, except those of a gate', () => {
  expect(wholeFields(room, { framePosteffectParams: { saturation: 2 } })).toEqual({
    framePosteffectParams: { brightness: 1.2, contrast: 1.1, saturation: 2 },
  });
  expect(wholeFields({ dynamicGate: { hidden: true } }, { dynamicGate: { position: 1 } })).toEqual({ dynamicGate: { position: 1 } });
});

test('undo takes back a field that was not there', () => {
  const entity = { entityId: 'RoomInfo', type: 'Simple', data: room, file: null };
  const change = { framePosteffectParams: { saturation: 2, brightness: 1 }, backgroundColor: '#fff' };
  expect(currentValues(entity, change)).toEqual({ framePosteffectParams: { saturation: null, brightness: 1.2 }, backgroundColor: '' });
});
