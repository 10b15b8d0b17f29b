// The other visitors, as simple figures with their names.

import { Color, Entity } from 'playcanvas';
import type { StandardMaterial } from 'playcanvas';
import type { Messages } from '../i18n.ts';
import type { Figures } from '../presence/presence.ts';
import { hueOf } from '../presence/hue.ts';
import type { Pose, Visitor } from '../server/presence.ts';
import type { Triple } from '../server/space.ts';
import { glowingMaterial } from './material.ts';
import { Picture, drawLabel } from './picture.ts';
import type { Stage } from './stage.ts';

/** How long a figure takes to the next pose, in seconds: a little longer than between two. */
const moveSeconds = 0.15;
/** A figure jumps when its next pose is farther away than this, in metres. */
const jumpDistance = 5;
/** A figure that is nearer than this is not shown: it would cover the view. In metres. */
const minDistance = 0.75;

export class VisitorFigures implements Figures {
  /** Shows no figures, for a picture of the space alone. */
  hidden = false;
  private readonly stage: Stage;
  private readonly messages: Messages;
  private readonly reducedMotion: boolean;
  private readonly figures = new Map<string, Figure>();

  constructor(stage: Stage, messages: Messages, reducedMotion: boolean) {
    this.stage = stage;
    this.messages = messages;
    this.reducedMotion = reducedMotion;
    stage.app.on('update', (seconds: number) => this.update(seconds));
  }

  put(visitor: Visitor): void {
    this.remove(visitor.id);
    if (!visitor.position) return;
    const name = visitor.name ?? this.messages('guest');
    this.figures.set(visitor.id, new Figure(this.stage, visitor.id, name, { ...visitor, position: visitor.position }));
  }

  move(id: string, pose: Pose): void {
    this.figures.get(id)?.goTo(pose, this.reducedMotion);
  }

  remove(id: string): void {
    this.figures.get(id)?.destroy();
    this.figures.delete(id);
  }

  clear(): void {
    for (const id of [...this.figures.keys()]) this.remove(id);
  }

  private update(seconds: number): void {
    for (const figure of this.figures.values()) figure.update(seconds, this.hidden);
  }
}

/** A head at the height of the eyes, which looks where the visitor does, and a body below. */
class Figure {
  private readonly stage: Stage;
  private readonly node: Entity;
  private readonly head: Entity;
  private readonly label: Picture;
  private readonly sign: Entity;
  private readonly materials: StandardMaterial[] = [];
  private shown: Pose;
  private from: Pose;
  private to: Pose;
  /** The share of the move that is done. */
  private done = 1;

  constructor(stage: Stage, id: string, name: string, pose: Pose) {
    this.stage = stage;
    [this.shown, this.from, this.to] = [pose, pose, pose];
    this.node = stage.node(`visitor ${id}`);
    this.head = new Entity('head', stage.app);
    this.node.addChild(this.head);
    const colour = new Color().fromString(hex(hueOf(id)));
    const skin = this.material(colour, 0.45);
    this.addPart(this.head, 'sphere', skin, [0, 0, 0], [0.3, 0.34, 0.3]);
    // The eyes show where the visitor looks, towards -z.
    this.addPart(this.head, 'box', this.material(new Color(0.08, 0.09, 0.12), 0.2), [0, 0.02, -0.13], [0.2, 0.07, 0.06]);
    this.addPart(this.node, 'capsule', skin, [0, -0.9, 0], [0.44, 0.66, 0.44]);
    this.label = new Picture(stage, drawLabel(name));
    this.label.resize(1.1, (1.1 * 160) / 1024);
    this.sign = new Entity('name', stage.app);
    this.sign.setLocalPosition(0, 0.38, 0);
    this.sign.addChild(this.label.node);
    this.node.addChild(this.sign);
    this.place();
  }

  private material(colour: Color, glow: number): StandardMaterial {
    const material = glowingMaterial(colour, glow);
    this.materials.push(material);
    return material;
  }

  private addPart(parent: Entity, type: 'sphere' | 'box' | 'capsule', material: StandardMaterial, at: Triple, size: Triple): void {
    const node = new Entity(type, this.stage.app);
    node.addComponent('render', { type, material });
    node.setLocalPosition(...at);
    node.setLocalScale(...size);
    parent.addChild(node);
  }

  /** Moves the figure: in one step with reduced motion, otherwise over the next frames. */
  goTo(pose: Pose, reducedMotion: boolean): void {
    [this.from, this.to] = [this.shown, pose];
    const far = Math.hypot(...pose.position.map((value, axis) => value - this.shown.position[axis]!)) > jumpDistance;
    this.done = reducedMotion || far ? 1 : 0;
    if (this.done === 1) {
      this.shown = pose;
      this.place();
    } else {
      this.stage.moving.add(this);
    }
  }

  update(seconds: number, hidden: boolean): void {
    if (this.done < 1) {
      this.done = Math.min(1, this.done + seconds / moveSeconds);
      this.shown = between(this.from, this.to, this.done);
      this.place();
      if (this.done === 1) this.stage.moving.delete(this);
    }
    const way = this.node.getPosition().distance(this.stage.camera.getPosition());
    const shown = !hidden && way > minDistance;
    if (shown !== this.node.enabled) {
      this.node.enabled = shown;
      this.stage.invalidate();
    }
    this.sign.setRotation(this.stage.camera.getRotation()); // it faces the viewer
  }

  private place(): void {
    this.node.setPosition(...this.shown.position);
    this.node.setEulerAngles(0, this.shown.yaw, 0);
    this.head.setLocalEulerAngles(this.shown.pitch, 0, 0);
    this.stage.invalidate();
  }

  destroy(): void {
    this.stage.moving.delete(this);
    this.label.destroy();
    this.node.destroy();
    for (const material of this.materials) material.destroy();
    this.stage.invalidate();
  }
}

/** Returns a pose on the way between two, turning the shorter way. */
function between(from: Pose, to: Pose, share: number): Pose {
  const mix = (a: number, b: number): number => a + (b - a) * share;
  const turn = ((((to.yaw - from.yaw) % 360) + 540) % 360) - 180;
  const [x, y, z] = from.position.map((value, axis) => mix(value, to.position[axis]!));
  return { position: [x!, y!, z!], yaw: from.yaw + turn * share, pitch: mix(from.pitch, to.pitch) };
}

/** Returns a colour of this hue, as #rrggbb. */
function hex(hue: number): string {
  const channel = (n: number): string => {
    const k = (n + hue / 30) % 12;
    const value = 0.55 - 0.35 * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
