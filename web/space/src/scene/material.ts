// The material of everything that the page builds itself.

import { StandardMaterial } from 'playcanvas';
import type { Color } from 'playcanvas';

/**
 * Returns a material that also shines in its colour, with this intensity from 0 to 1: the only
 * light comes from one side, and the other sides would look grey. The caller destroys it.
 */
export function glowingMaterial(colour: Color, intensity: number): StandardMaterial {
  const material = new StandardMaterial();
  material.diffuse = colour;
  material.emissive = colour;
  material.emissiveIntensity = intensity;
  material.update();
  return material;
}
