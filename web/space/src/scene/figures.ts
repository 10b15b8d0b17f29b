// The other visitors: figures in a cloak of their own colour, with their names.

import { Color, Entity, Mesh, MeshInstance } from 'playcanvas';
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
/** The distance at which a name has its own size, and up to which it looks equally large. In metres. */
const nameDistance = 3;
const maxNameDistance = 7;
/** A view that is narrower than this, by its height, has smaller names, down to half. */
const wideView = 1.3;

/** The radius and the height below the eyes of the cloak and of its collar, in metres, from the top down. */
const cloakLine = [
  [0.07, -0.17],
  [0.12, -0.2],
  [0.2, -0.28],
  [0.23, -0.4],
  [0.225, -0.6],
  [0.24, -0.85],
  [0.28, -1.15],
  [0.33, -1.4],
  [0.35, -1.5],
  [0.32, -1.54],
  [0, -1.5],
] as const;
const collarLine = [
  [0.08, -0.13],
  [0.15, -0.165],
  [0.17, -0.2],
  [0.15, -0.235],
  [0.1, -0.25],
] as const;

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

/** A head at the height of the eyes, which looks where the visitor does, and a cloak below, which ends above the floor. */
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
    const hue = hueOf(id);
    const cloak = this.material(hsl(hue, 0.42, 0.42), 0.12);
    const light = this.material(hsl(hue, 0.35, 0.8), 0.25);
    const ink = this.material(new Color(0.07, 0.08, 0.12), 0.1);
    this.addTurned(this.node, cloak, cloakLine);
    this.addTurned(this.node, light, collarLine);
    this.addPart(this.head, 'sphere', light, [0, 0.02, 0], [0.27, 0.3, 0.27]);
    // The face shows where the visitor looks, towards -z.
    this.addPart(this.head, 'sphere', ink, [0, 0.03, -0.055], [0.225, 0.19, 0.19]);
    for (const side of [-1, 1])
      this.addPart(this.head, 'sphere', this.material(Color.WHITE, 1), [side * 0.045, 0.045, -0.145], [0.024, 0.05, 0.02]);
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

  private addTurned(parent: Entity, material: StandardMaterial, line: readonly (readonly [number, number])[]): void {
    const node = new Entity('turned', this.stage.app);
    node.addComponent('render', { meshInstances: [new MeshInstance(turned(this.stage, line), material)] });
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
    const narrow = Math.min(1, Math.max(0.5, (this.stage.camera.camera?.aspectRatio ?? wideView) / wideView));
    const size = (narrow * Math.min(way, maxNameDistance)) / nameDistance;
    this.sign.setLocalScale(size, size, size);
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

/** Returns a colour by its hue in degrees, and its saturation and lightness from 0 to 1. */
function hsl(hue: number, saturation: number, lightness: number): Color {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number): number => {
    const k = (n + hue / 30) % 12;
    return lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return new Color(channel(0), channel(8), channel(4));
}

/** Returns a smooth body: a line of radius and height, from the top down, turned around y. */
function turned(stage: Stage, line: readonly (readonly [number, number])[]): Mesh {
  const around = 28;
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  line.forEach(([radius, y], i) => {
    const [above, below] = [line[Math.max(0, i - 1)]!, line[Math.min(line.length - 1, i + 1)]!];
    const [out, down] = [below[0] - above[0], above[1] - below[1]];
    const length = Math.hypot(out, down) || 1;
    for (let j = 0; j <= around; j++) {
      const angle = (2 * Math.PI * j) / around;
      const [x, z] = [Math.cos(angle), Math.sin(angle)];
      positions.push(radius * x, y, radius * z);
      normals.push((down / length) * x, out / length, (down / length) * z);
      if (i === 0 || j === around) continue;
      const here = i * (around + 1) + j;
      const over = here - around - 1;
      indices.push(over, over + 1, here, over + 1, here + 1, here);
    }
  });
  const mesh = new Mesh(stage.app.graphicsDevice);
  mesh.setPositions(positions);
  mesh.setNormals(normals);
  mesh.setIndices(indices);
  mesh.update();
  return mesh;
}
