// Looks to begin with. Each sets the same fields, so that one replaces another. Contrast is small: it
// works on linear colours, where shadows soon are black.

import type { Data } from '../server/space.ts';

export type PresetName = 'None' | 'Daylight' | 'Golden' | 'Overcast' | 'Night' | 'Studio' | 'Film';

const plain: Data = {
  toneMapping: null,
  brightness: null,
  contrast: null,
  saturation: null,
  sharpness: null,
  bloomEnabled: null,
  bloomIntensity: null,
};

interface Preset {
  effects?: Data;
  vignette?: number;
  background?: string;
  /** From the top to the bottom. */
  sky?: readonly [string, string, string];
  light?: string;
}

const presets: Record<PresetName, Preset> = {
  None: {},
  Daylight: { effects: { brightness: 1.05, contrast: 1.02, saturation: 1.08 }, sky: ['#3f7fcf', '#cfe3f5', '#8d9096'] },
  Golden: {
    effects: { brightness: 1.05, contrast: 1.01, saturation: 1.12, bloomEnabled: true, bloomIntensity: 0.2 },
    vignette: 0.25,
    sky: ['#35507f', '#e7bd92', '#5a4638'],
    light: '#ffd9a8',
  },
  Overcast: { effects: { brightness: 0.98, contrast: 0.92, saturation: 0.8 }, sky: ['#8e979f', '#cdd2d6', '#7d8084'], light: '#e8eef5' },
  Night: {
    effects: { brightness: 0.5, saturation: 0.7, bloomEnabled: true, bloomIntensity: 0.3 },
    vignette: 0.5,
    sky: ['#0c1226', '#2a3a63', '#151922'],
    light: '#a9bfff',
  },
  Studio: { effects: { toneMapping: 5, contrast: 1.03, sharpness: 1.3 }, background: '#e9eaec' },
  Film: {
    effects: { toneMapping: 1, brightness: 1.15, contrast: 1.02, saturation: 0.9, bloomEnabled: true, bloomIntensity: 0.14 },
    vignette: 0.4,
  },
};

export const presetNames = Object.keys(presets) as PresetName[];

/** Returns the change of RoomInfo that gives a space this look. */
export function presetChange(name: PresetName): Data {
  const { effects, vignette, background, sky, light } = presets[name];
  return {
    framePosteffectParams: { ...plain, ...effects },
    vignette: { intensity: vignette ?? null },
    backgroundColor: background ?? '',
    skyboxImage: '',
    skyGradient: sky ? { top: sky[0], horizon: sky[1], ground: sky[2] } : { top: null, horizon: null, ground: null },
    skyboxHidden: null,
    stageLightColor: light ?? '',
  };
}
