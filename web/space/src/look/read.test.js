// Looks that clients have written.

import { expect, test } from 'vitest';
import { gradientFaces, skyColour } from './gradient.ts';
import { presetChange, presetNames } from './presets.ts';
import { needsEffects, readColour, readLook } from './read.ts';

const plain = readLook({});

test('a space without a look needs no effects', () => {
  expect(plain).toMatchObject({ background: null, sky: null, toneMapping: 0, brightness: 1, contrast: 1, saturation: 1, sound: null });
  expect(needsEffects(plain)).toBe(false);
});

test('what cannot be read has no effect', () => {
  const effects = [
    'toneMapping',
    'brightness',
    'contrast',
    'saturation',
    'sharpness',
    'bloomEnabled',
    'bloomIntensity',
    'bloomThreshold',
    'bloomBlurLevel',
  ];
  const fields = [
    'backgroundColor',
    'skyGradient',
    'stageLightIntensity',
    'stageLightColor',
    'envLightFinal',
    'vignette',
    'skyboxRotation',
  ];
  for (const value of [null, '', 'x', [], {}, [1], Number.NaN, Infinity, 'javascript:1']) {
    const all = (names) => Object.fromEntries(names.map((name) => [name, value]));
    expect(readLook({ ...all(fields), framePosteffectParams: all(effects) })).toEqual(plain);
    expect(readLook({ framePosteffectParams: value, vignette: { intensity: value, inner: value } })).toEqual(plain);
  }
});

test('numbers out of range are brought into it', () => {
  const look = readLook({
    framePosteffectParams: {
      brightness: 99,
      contrast: -1,
      saturation: -1,
      sharpness: 7,
      bloomIntensity: 50,
      bloomBlurLevel: 1000,
      toneMapping: 77,
    },
    skyGradient: { top: '#fff', horizon: '#000' },
    skyboxScale: 1e9,
    skyboxIntensity: -2,
  });
  expect(look).toMatchObject({ brightness: 2, contrast: 0.5, saturation: 0, sharpness: 1, toneMapping: 0 });
  expect(look.bloom).toEqual({ intensity: 0.1, threshold: 0.9, blurLevel: 8 });
  expect(look.sky).toMatchObject({ scale: 1900, intensity: 0 });
});

test('bloom is on by its intensity, unless it is switched off', () => {
  const bloom = (effects) => readLook({ framePosteffectParams: effects }).bloom.intensity;
  expect(bloom({ bloomIntensity: 0.5 })).toBeCloseTo(0.05);
  expect(bloom({ bloomEnabled: true })).toBeCloseTo(0.014);
  expect(bloom({ bloomEnabled: false, bloomIntensity: 0.5 })).toBe(0);
  expect(bloom({ brightness: 1.1 })).toBe(0);
});

test('colours have 3, 4, 6 or 8 digits', () => {
  expect(readColour('#f00')).toEqual([1, 0, 0]);
  expect(readColour('#00ff0080')).toEqual([0, 1, 0]);
  for (const value of ['red', '#12345', '#12', 7, 'url(x)', '#gggggg']) expect(readColour(value)).toBe(null);
});

test('a preset replaces another entirely', () => {
  for (const name of presetNames) {
    expect(Object.keys(presetChange(name)).sort()).toEqual(Object.keys(presetChange('None')).sort());
    expect(Object.keys(presetChange(name).framePosteffectParams).sort()).toEqual(
      Object.keys(presetChange('None').framePosteffectParams).sort(),
    );
  }
  expect(readLook(presetChange('None'))).toEqual(plain);
  expect(readLook(presetChange('Night')).sky).not.toBe(null);
});

test('a sky has its colours above, at the horizon and below', () => {
  const colours = [
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
  ];
  expect(skyColour(colours, 1)).toEqual([0, 0, 1]);
  expect(skyColour(colours, 0)).toEqual([0, 1, 0]);
  expect(skyColour(colours, -1)).toEqual([1, 0, 0]);
  const faces = gradientFaces(colours, 8);
  expect(faces.map((face) => face.length)).toEqual(Array(6).fill(8 * 8 * 4));
  expect([...faces[3].slice(0, 4)]).toEqual([255, 0, 0, 255]);
});
