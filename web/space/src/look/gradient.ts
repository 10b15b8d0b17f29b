// A sky of three colours, as the six faces of a cube.

import type { Rgb } from './read.ts';

/** The elevation above which the sky has its upper colour more than that of the horizon: lower for a thin haze. */
const haze = 0.6;
/** How far the colour of the horizon reaches below it, as a share of the way down. */
const edge = 0.08;

/** Returns the colour at a height from -1, straight down, to 1, straight up. */
export function skyColour([top, horizon, ground]: readonly [Rgb, Rgb, Rgb], height: number): Rgb {
  const elevation = Math.asin(Math.max(-1, Math.min(1, height))) / (Math.PI / 2);
  const [far, share] = elevation >= 0 ? [top, elevation ** haze] : [ground, Math.min(1, -elevation / edge)];
  return [0, 1, 2].map((i) => horizon[i]! + (far[i]! - horizon[i]!) * share) as unknown as Rgb;
}

/** Returns the pixels of the faces +x, -x, +y, -y, +z, -z, each with this many pixels on an edge. */
export function gradientFaces(colours: readonly [Rgb, Rgb, Rgb], size: number): Uint8Array[] {
  const face = (heightAt: (aside: number, down: number) => number): Uint8Array => {
    const pixels = new Uint8Array(size * size * 4);
    for (let i = 0; i < size * size; i++) {
      const [u, v] = [(((i % size) + 0.5) / size) * 2 - 1, ((Math.floor(i / size) + 0.5) / size) * 2 - 1];
      const [r, g, b] = skyColour(colours, heightAt(u, v) / Math.hypot(1, u, v));
      pixels.set([Math.round(r * 255), Math.round(g * 255), Math.round(b * 255), 255], i * 4);
    }
    return pixels;
  };
  const side = face((_, down) => -down);
  return [side, side, face(() => 1), face(() => -1), side, side];
}
