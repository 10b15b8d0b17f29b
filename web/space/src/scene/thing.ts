// What the entities of a space become in the scene.

import { Entity, Mat4, Vec3 } from 'playcanvas';
import type { Placement } from '../entity.ts';
import type { EntityRow } from '../server/space.ts';
import type { Messages } from '../i18n.ts';
import type { Stage } from './stage.ts';

/** Something in the scene that belongs to an entity. */
export interface Thing {
  readonly node: Entity;
  /** Moves the thing to the entity's current position. */
  place(entity: EntityRow): void;
  /** Rectangles that react to a click or a tap. */
  readonly targets?: readonly Target[];
  /** The title that the scene shows, where that differs from the entity's. */
  readonly title?: string;
  /** Goes through a gate. */
  enter?(): void;
  destroy(): void;
}

/** A rectangle around the origin of a node, in the node's plane of x and y. */
export interface Target {
  readonly node: Entity;
  readonly width: number;
  readonly height: number;
  /** Whether it is drawn over everything, so that nothing solid hides it. */
  readonly isOnTop?: boolean;
  activate(): void;
}

/** What things need of the page. */
export interface Surroundings {
  readonly stage: Stage;
  readonly messages: Messages;
  readonly reducedMotion: boolean;
  /** Reports whether the page may load from an address. */
  mayLoad(address: string): boolean;
  readonly plugins: PluginSurroundings;
}

/** What plugins need of the page. */
export interface PluginSurroundings {
  /** The address of the frame that runs plugins; empty for none. */
  readonly frame: string;
  /** Whether plugins run for this visitor. */
  allowed: boolean;
  readonly space: { id: string; title: string };
  readonly language: string;
  readonly panels: HTMLElement;
}

export function setPlacement(node: Entity, placement: Placement): void {
  node.setLocalPosition(...placement.position);
  node.setLocalEulerAngles(...placement.rotation);
  node.setLocalScale(...placement.scale);
}

const inverse = new Mat4();

/** Returns the distance at which a ray meets a target; Infinity where it misses. */
export function distanceTo(target: Target, from: Vec3, direction: Vec3): number {
  inverse.copy(target.node.getWorldTransform()).invert();
  const origin = inverse.transformPoint(from);
  const along = inverse.transformVector(direction);
  const t = -origin.z / along.z;
  const x = origin.x + along.x * t;
  const y = origin.y + along.y * t;
  const hit = t > 0 && Math.abs(x) <= target.width / 2 && Math.abs(y) <= target.height / 2;
  return hit ? t : Infinity;
}

/** Reports whether a move from one place to another passes through a target. */
export function passes(target: Target, from: Vec3, to: Vec3): boolean {
  const way = to.clone().sub(from);
  return way.lengthSq() > 0 && distanceTo(target, from, way) <= 1;
}
