// How much detail the view draws: as the device is, or as the visitor wants it.

import { remember, remembered } from './remembered.ts';

export const qualities = ['auto', 'low', 'high'] as const;
export type Quality = (typeof qualities)[number];

export function chosenQuality(): Quality {
  return qualities.find((one) => one === remembered('quality')) ?? 'auto';
}

export function rememberQuality(quality: Quality): void {
  remember('quality', quality);
}

/** What the device is to draw. */
export interface Detail {
  /** The number of Gaussians of all captures together. */
  splats: number;
  /** Pixels of the canvas for each pixel of the page. */
  pixelRatio: number;
}

export function detailOf(quality: Quality): Detail {
  if (quality === 'low') return { splats: 500_000, pixelRatio: 1 };
  if (quality === 'high') return { splats: 6_000_000, pixelRatio: devicePixelRatio };
  const memory = (navigator as { deviceMemory?: number }).deviceMemory ?? 8;
  if (matchMedia('(pointer: coarse)').matches)
    return { splats: memory <= 4 ? 700_000 : 1_500_000, pixelRatio: Math.min(devicePixelRatio, 1.5) };
  return { splats: memory <= 4 ? 1_500_000 : 3_000_000, pixelRatio: Math.min(devicePixelRatio, 2) };
}
