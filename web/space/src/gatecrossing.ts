// Walking through the gates of a space, and the gate back to where the visitor came from.

import type { Vec3 } from 'playcanvas';
import type { Controls } from './move/controls.ts';
import type { GateNavigation } from './gatenavigation.ts';
import { Gate } from './scene/gate.ts';
import { passes } from './scene/thing.ts';
import type { Surroundings, Target, Thing } from './scene/thing.ts';
import type { EntityRow } from './server/space.ts';
import type { View } from './view.ts';

/** The longest way in one frame that counts as walking through a gate; a jump of the view is longer. */
const maxStride = 3;
/** The gate back stands this far behind the visitor, in metres. */
const behind = 2.2;

/** What the crossing of gates needs of a visit. */
export interface Crossable {
  surroundings: Surroundings;
  navigation: GateNavigation;
  controls: Controls;
  /** The things of the space; null for an entity that shows nothing. */
  things(): readonly (Thing | null)[];
  /** An owner who edits walks through gates without leaving. */
  editing(): boolean;
  /** Ends the visit with a headset, which shows no questions and no other pages. */
  leaveHeadset(): void;
  /** Shows a link back to where the visitor came from. */
  offerBack(title: string, address: string): void;
}

export class GateCrossing {
  private readonly visit: Crossable;
  private back: Gate | null = null;
  private lastEye: Vec3 | null = null;

  constructor(visit: Crossable) {
    this.visit = visit;
  }

  /** The targets of the gate back. */
  get targets(): readonly Target[] {
    return this.back?.targets ?? [];
  }

  /** Offers the way back to a visitor who came through a gate: a link, and a gate behind the first view. */
  arrive(start: View): void {
    const { navigation, surroundings, offerBack } = this.visit;
    const origin = navigation.origin();
    if (!origin) return;
    const title = surroundings.messages('backTo', { name: origin.title });
    if (!this.back) offerBack(title, navigation.address(origin.spaceId));
    this.lastEye = null; // being led to the view does not cross the gate
    const yaw = (start.yaw * Math.PI) / 180;
    const feet = [
      start.eye[0] + Math.sin(yaw) * behind,
      start.eye[1] - this.visit.controls.eyeHeight,
      start.eye[2] + Math.cos(yaw) * behind,
    ];
    this.back?.destroy();
    this.back = new Gate(backGate(origin.spaceId, title, feet, start.yaw + 180), surroundings, (gate) => this.open(gate));
  }

  /** Opens the gate that the visitor has gone through since the last frame. */
  update(): void {
    const eye = this.visit.surroundings.stage.camera.getPosition().clone();
    const last = this.lastEye;
    this.lastEye = eye;
    if (!last || last.equals(eye) || this.visit.editing() || last.distance(eye) > maxStride) return;
    const gates = [...this.visit.things(), this.back].filter((thing) => thing instanceof Gate);
    const passed = gates.find((gate) => gate.targets.some((target) => passes(target, last, eye)));
    if (passed) this.open(passed);
  }

  /** Goes where a gate leads. A visitor who decides to stay takes a step back. */
  open(gate: Gate): void {
    this.visit.leaveHeadset();
    this.visit.navigation.goThrough(gate, () => this.visit.controls.stepBack(1));
  }

  destroy(): void {
    this.back?.destroy();
  }
}

/** Returns a gate back to a space, as if the owner had put it there. */
export function backGate(spaceId: string, title: string, feet: readonly number[], yaw: number): EntityRow {
  const [x, y, z] = feet;
  return {
    id: 'back',
    entityId: 'back',
    type: 'DynamicGate',
    version: 0,
    createdAt: '',
    readUrl: null,
    file: null,
    data: { title, link: spaceId, dynamicGate: { position: { x, y, z }, rotation: { x: 0, y: yaw, z: 0 } } },
  };
}
