// The look of a space, read from the data of RoomInfo. Any client may have written it: what is missing,
// of another type or out of range is as in a space without a look.

import { object, text } from '../entity.ts';
import { clamped } from '../room.ts';
import type { Data } from '../server/space.ts';

/** Red, green and blue from 0 to 1. */
export type Rgb = readonly [number, number, number];

export interface Sky {
  /** The address of a picture around the space; empty for a gradient. */
  image: string;
  /** The colours at the top, at the horizon and at the bottom. */
  colours: readonly [Rgb, Rgb, Rgb] | null;
  type: 'infinite' | 'dome' | 'box';
  /** It is not seen, and lights models. */
  hidden: boolean;
  /** 1 shows the picture as it is. */
  intensity: number;
  /** Degrees around y. */
  rotation: number;
  scale: number;
  centre: number;
}

export interface Look {
  background: Rgb | null;
  sky: Sky | null;
  /** A number of the engine: linear, filmic, hejl, aces, aces2, neutral. */
  toneMapping: number;
  brightness: number;
  contrast: number;
  saturation: number;
  /** From 0 to 1. */
  sharpness: number;
  /** An intensity of 0 is none. */
  bloom: { intensity: number; threshold: number; blurLevel: number };
  vignette: { intensity: number; inner: number; outer: number; curvature: number };
  light: { intensity: number; around: number; colour: Rgb | null; point: boolean; range: number; rotation: number; elevation: number };
  sound: { address: string; loop: boolean; volume: number } | null;
}

/** Reads a colour of 3, 4, 6 or 8 hexadecimal digits; null for others. */
export function readColour(value: unknown): Rgb | null {
  const digits = typeof value === 'string' ? /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(value.trim())?.[1] : undefined;
  if (!digits) return null;
  const width = digits.length < 6 ? 1 : 2;
  const channel = (i: number): number => {
    const part = digits.slice(i * width, (i + 1) * width);
    return Number.parseInt(width === 1 ? part + part : part, 16) / 255;
  };
  return [channel(0), channel(1), channel(2)];
}

function readSky(data: Data): Sky | null {
  const image = text(data, 'skyboxImage');
  const gradient = object(data, 'skyGradient');
  const [top, horizon, ground] = ['top', 'horizon', 'ground'].map((name) => readColour(gradient[name]));
  const colours = top && horizon ? ([top, horizon, ground ?? horizon] as const) : null;
  if (!image && !colours) return null;
  return {
    image,
    colours,
    type: (['dome', 'box'] as const).find((type) => type === data['skyboxType']) ?? 'infinite',
    hidden: data['skyboxHidden'] === true,
    intensity: clamped(data['skyboxIntensity'], 0, 10, 3) / 3,
    rotation: clamped(data['skyboxRotation'], -360, 360, 180),
    scale: clamped(data['skyboxScale'], 1, 1900, 100),
    centre: clamped(data['skyboxTripodY'], 0, 10, 0.1),
  };
}

export function readLook(data: Data): Look {
  const effects = object(data, 'framePosteffectParams');
  const vignette = object(data, 'vignette');
  const isBlooming = effects['bloomEnabled'] === true || (effects['bloomEnabled'] !== false && Number.isFinite(effects['bloomIntensity']));
  const tones = effects['toneMapping'] ?? data['toneMapping'];
  const sound = text(data, 'introSoundURL');
  return {
    background: readColour(data['backgroundColor']),
    sky: readSky(data),
    toneMapping: typeof tones === 'number' && [0, 1, 2, 3, 4, 5].includes(tones) ? tones : 0,
    brightness: clamped(effects['brightness'], 0, 2, 1),
    contrast: clamped(effects['contrast'], 0.5, 1.5, 1),
    saturation: clamped(effects['saturation'], 0, 2, 1),
    sharpness: Math.max(0, clamped(effects['sharpness'], 0, 2, 1) - 1),
    bloom: {
      intensity: isBlooming ? clamped(effects['bloomIntensity'], 0, 1, 0.14) / 10 : 0,
      threshold: clamped(effects['bloomThreshold'], 0, 3, 0.9),
      blurLevel: Math.round(clamped(effects['bloomBlurLevel'], 1, 8, 4)),
    },
    vignette: {
      intensity: clamped(vignette['intensity'], 0, 1, 0),
      inner: clamped(vignette['inner'], 0, 3, 0.3),
      outer: clamped(vignette['outer'], 0, 3, 0.75),
      curvature: clamped(vignette['curvature'], 0.01, 10, 1),
    },
    light: {
      intensity: clamped(data['stageLightIntensity'], 0, 15, 2.2) / 2.2,
      around: clamped(data['envLightFinal'], 0, 15, 3) / 3,
      colour: readColour(data['stageLightColor']),
      point: data['stageLightType'] === 'point',
      range: clamped(data['stageLightRange'], 0.1, 15, 8),
      rotation: clamped(data['stageLightRotation'], -360, 360, 30),
      elevation: clamped(data['stageLightElevation'], -90, 90, -45),
    },
    sound: sound ? { address: sound, loop: data['introSoundLoop'] === true, volume: clamped(data['introSoundVolume'], 0, 1, 1) } : null,
  };
}

/** Reports whether a look needs passes over the whole picture, beyond what each thing can draw itself. */
export function needsEffects({ brightness, contrast, saturation, sharpness, bloom, vignette }: Look): boolean {
  return brightness !== 1 || contrast !== 1 || saturation !== 1 || sharpness > 0 || bloom.intensity > 0 || vignette.intensity > 0;
}
