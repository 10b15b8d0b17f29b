// The surface that is seen at a point of the view, to a fraction of a Gaussian.

import { Picker } from 'playcanvas';
import type { Entity } from 'playcanvas';
import { castRay } from '../move/walker.ts';
import type { Solid } from '../move/solid.ts';
import type { Stage } from '../scene/stage.ts';
import type { Triple } from '../server/space.ts';
import { centresNear } from './centres.ts';
import { distanceBetween, fitPlane, meetPlane } from './geometry.ts';

const reach = 200;
/** The distances of samples around a point, in pixels. */
const rings = [4, 8];
/** How far samples may lie from a plane, as a share of the distance to the eye. */
const roughness = 0.02;

/** What is measured. */
export interface SurfaceView {
  stage: Stage;
  solids: readonly Solid[];
  captures: readonly Entity[];
}

/**
 * Returns the place on the surface at a point in CSS pixels; null where nothing is. What is seen there
 * says roughly where: a Gaussian has the depth of its middle everywhere, and the nearest one that touches
 * the pixel counts. So the place is on a plane through the middles of the Gaussians around it, or else
 * through what is seen around it, where that is flat.
 */
export async function surfacePoint(view: SurfaceView, x: number, y: number): Promise<Triple | null> {
  const { stage, solids, captures } = view;
  const { app, camera } = stage;
  const canvas = app.graphicsDevice.canvas as HTMLCanvasElement;
  const ray = stage.ray(x, y);
  const [from, direction]: [Triple, Triple] = [toTriple(ray.from), toTriple(ray.direction)];
  const picker = new Picker(app, canvas.clientWidth, canvas.clientHeight, true);
  try {
    picker.prepare(camera.camera!, app.scene, [app.scene.layers.getLayerByName('World')!]);
    const aside = rings.flatMap((r) =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [r * Math.cos((i * Math.PI) / 4), r * Math.sin((i * Math.PI) / 4)]),
    );
    const seen = await Promise.all([[0, 0], ...aside].map(([dx, dy]) => picker.getWorldPointAsync(x + dx!, y + dy!)));
    const [middle, ...around] = seen.map((place) => place && toTriple(place));
    if (!middle) return solidPoint(solids, from, direction);
    const tolerance = Math.max(0.005, distanceBetween(from, middle) * roughness);
    const plane = fitPlane([middle, ...around.filter((place) => place !== null && place !== undefined)], tolerance);
    const met = plane && meetPlane(plane, from, direction);
    const rough = met && distanceBetween(met, middle) < 10 * tolerance ? met : middle;
    return refined(captures, rough, from, direction) ?? rough;
  } catch {
    return solidPoint(solids, from, direction); // the device was lost
  } finally {
    picker.destroy();
  }
}

/** Returns where a ray meets the plane of the Gaussians around a place; null where they are not flat. */
function refined(captures: readonly Entity[], rough: Triple, from: Triple, direction: Triple): Triple | null {
  const { points, radius } = centresNear(captures, rough);
  const plane = fitPlane(points, radius / 4);
  const met = plane && meetPlane(plane, from, direction);
  return met && distanceBetween(met, rough) <= radius ? met : null;
}

function solidPoint(solids: readonly Solid[], from: Triple, direction: Triple): Triple | null {
  return castRay(solids, from, direction, reach)?.point ?? null;
}

function toTriple({ x, y, z }: { x: number; y: number; z: number }): Triple {
  return [x, y, z];
}
