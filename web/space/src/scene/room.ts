// The look of a hub's room: plaster walls with an arch behind each gate, a stone floor and a skylight. The
// light is painted, because nothing in the room moves; everything is drawn here, so there is nothing to load.

import {
  ADDRESS_CLAMP_TO_EDGE,
  Color,
  Entity,
  FILTER_LINEAR,
  FILTER_LINEAR_MIPMAP_LINEAR,
  PIXELFORMAT_SRGBA8,
  StandardMaterial,
  Texture,
} from 'playcanvas';
import type { Stage } from './stage.ts';

/** The sizes of the room in metres. */
export interface RoomSize {
  halfWidth: number;
  height: number;
}

/** A post of a gate: x, z and the angle around y, which is the direction that it faces. */
export type Post = readonly [number, number, number];

type Pen = CanvasRenderingContext2D;

/** Pixels per metre of walls and of the floor. */
const fine = 96;
const coarse = 56;
/** The arch behind a gate: half its width, and the height where its curve starts. */
const archHalf = 1.55;
const archSpring = 2.95;
/** The sides of the skylight and of a stone of the floor. */
const skylight = 8.4;
const stone = 1.5;

export class Room {
  private readonly node: Entity;
  private readonly made: { destroy(): void }[] = [];

  constructor(stage: Stage, { halfWidth, height }: RoomSize, posts: readonly Post[]) {
    this.node = stage.node('hub');
    const side = 2 * halfWidth;
    for (const yaw of [0, 90, -90, 180]) {
      const arches = posts.filter(([, , angle]) => angle === yaw).map((post) => alongWall(post, yaw));
      const wall = this.surface(stage, side, height, fine, (pen) => paintWall(pen, side, height, arches));
      const turn = (yaw * Math.PI) / 180;
      wall.setLocalPosition(-halfWidth * Math.sin(turn), height / 2, -halfWidth * Math.cos(turn));
      wall.setLocalEulerAngles(0, yaw, 0);
    }
    this.surface(stage, side, side, coarse, (pen) => paintFloor(pen, side)).setLocalEulerAngles(-90, 0, 0);
    const ceiling = this.surface(stage, side, side, coarse / 2, (pen) => paintCeiling(pen, side));
    ceiling.setLocalPosition(0, height, 0);
    ceiling.setLocalEulerAngles(90, 0, 0);
    stage.invalidate();
  }

  /** Adds a rectangle that faces +z. The pen paints in metres, from the corner at the top left. */
  private surface(stage: Stage, width: number, height: number, pixels: number, paint: (pen: Pen) => void): Entity {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.round(width * pixels), Math.round(height * pixels)];
    const pen = canvas.getContext('2d')!;
    pen.scale(pixels, pixels);
    paint(pen);
    const texture = new Texture(stage.app.graphicsDevice, {
      width: canvas.width,
      height: canvas.height,
      format: PIXELFORMAT_SRGBA8,
      mipmaps: true,
      minFilter: FILTER_LINEAR_MIPMAP_LINEAR,
      magFilter: FILTER_LINEAR,
      addressU: ADDRESS_CLAMP_TO_EDGE,
      addressV: ADDRESS_CLAMP_TO_EDGE,
      anisotropy: 8,
    });
    texture.setSource(canvas);
    const material = new StandardMaterial();
    material.useLighting = false;
    material.diffuse = Color.BLACK; // the engine would add the ambient light to it
    material.emissive = Color.WHITE;
    material.emissiveMap = texture;
    material.update();
    this.made.push(material, texture);
    const place = new Entity('surface', stage.app);
    const shape = new Entity('shape', stage.app);
    shape.addComponent('render', { type: 'plane', material });
    shape.setLocalEulerAngles(90, 0, 0);
    shape.setLocalScale(width, 1, height);
    place.addChild(shape);
    this.node.addChild(place);
    return place;
  }

  destroy(): void {
    this.node.destroy();
    for (const one of this.made) one.destroy();
  }
}

/** Returns where a post is on its wall, from the middle to the right. */
function alongWall([x, z]: Post, yaw: number): number {
  const turn = (yaw * Math.PI) / 180;
  return x * Math.cos(turn) - z * Math.sin(turn);
}

function gradient(pen: Pen, [x0, y0, x1, y1]: readonly number[], ...stops: readonly (readonly [number, string])[]): CanvasGradient {
  const made = pen.createLinearGradient(x0!, y0!, x1!, y1!);
  for (const [at, colour] of stops) made.addColorStop(at, colour);
  return made;
}

function paintWall(pen: Pen, width: number, height: number, arches: readonly number[]): void {
  // Light falls from the skylight: the wall is brightest below the ceiling's edge, and warm near the floor.
  pen.fillStyle = gradient(pen, [0, 0, 0, height], [0, '#b9b2a6'], [0.08, '#e6e0d5'], [0.45, '#ded6c8'], [0.92, '#c3b8a6'], [1, '#aa9d89']);
  pen.fillRect(0, 0, width, height);
  const light = pen.createRadialGradient(width / 2, 0.4, 0.5, width / 2, 0.4, width / 2);
  light.addColorStop(0, '#fff6e66b');
  light.addColorStop(1, '#fff6e600');
  pen.fillStyle = light;
  pen.fillRect(0, 0, width, height);
  for (const x of arches) paintArch(pen, width / 2 + x, height);
  // The corners of the room are darker, and a plinth runs along the floor.
  for (const [from, to] of [
    [0, 1.6],
    [width, width - 1.6],
  ] as const) {
    pen.fillStyle = gradient(pen, [from, 0, to, 0], [0, '#3a2f2452'], [1, '#3a2f2400']);
    pen.fillRect(Math.min(from, to), 0, 1.6, height);
  }
  pen.fillStyle = '#7d7160';
  pen.fillRect(0, height - 0.16, width, 0.16);
  pen.fillStyle = '#efe8da';
  pen.fillRect(0, height - 0.18, width, 0.02);
}

function archPath(pen: Pen, x: number, height: number, grow: number): void {
  pen.beginPath();
  pen.moveTo(x - archHalf - grow, height);
  pen.lineTo(x - archHalf - grow, height - archSpring);
  pen.arc(x, height - archSpring, archHalf + grow, Math.PI, 0);
  pen.lineTo(x + archHalf + grow, height);
  pen.closePath();
}

/** Paints a niche: its rim is light, and its edge throws a shadow into it. */
function paintArch(pen: Pen, x: number, height: number): void {
  archPath(pen, x, height, 0.14);
  pen.fillStyle = gradient(pen, [x - archHalf, 0, x + archHalf, height], [0, '#faf5ea'], [1, '#d9cfbd']);
  pen.fill();
  archPath(pen, x, height, 0);
  pen.fillStyle = gradient(pen, [0, height - archSpring - archHalf, 0, height], [0, '#7f7465'], [0.35, '#9c907e'], [1, '#8a7d6a']);
  pen.fill();
  pen.save();
  pen.clip();
  pen.shadowColor = '#2b2118cc';
  pen.shadowBlur = 40;
  pen.shadowOffsetY = 16;
  pen.lineWidth = 0.3;
  pen.strokeStyle = '#5d5346';
  archPath(pen, x, height, 0.16);
  pen.stroke();
  pen.restore();
}

function paintFloor(pen: Pen, side: number): void {
  const count = Math.round(side / stone);
  for (let i = 0; i < count * count; i++) {
    const [column, row] = [i % count, Math.floor(i / count)];
    const tone = (Math.sin(column * 12.9898 + row * 78.233) * 43758.5453) % 1;
    pen.fillStyle = `hsl(34 ${14 + 4 * tone}% ${60 + 5 * tone}%)`;
    pen.fillRect(column * stone, row * stone, stone, stone);
  }
  pen.strokeStyle = '#6f6455a0';
  pen.lineWidth = 0.025;
  for (let i = 0; i <= count; i++) {
    pen.strokeRect(i * stone, -1, 0, side + 2);
    pen.strokeRect(-1, i * stone, side + 2, 0);
  }
  pen.strokeStyle = '#8b6f4f';
  pen.lineWidth = 0.12;
  pen.strokeRect(stone, stone, side - 2 * stone, side - 2 * stone);
  // The light of the skylight on the floor, and the shadow along the walls.
  const light = pen.createRadialGradient(side / 2, side / 2, 1, side / 2, side / 2, side * 0.72);
  light.addColorStop(0, '#fff3dc8c');
  light.addColorStop(0.45, '#fff3dc1f');
  light.addColorStop(0.6, '#2a211800');
  light.addColorStop(1, '#2a211899');
  pen.fillStyle = light;
  pen.fillRect(0, 0, side, side);
  for (const [x0, y0, x1, y1] of [
    [0, 0, 0, 1.4],
    [0, side, 0, side - 1.4],
    [0, 0, 1.4, 0],
    [side, 0, side - 1.4, 0],
  ] as const) {
    pen.fillStyle = gradient(pen, [x0, y0, x1, y1], [0, '#2a211880'], [1, '#2a211800']);
    pen.fillRect(0, 0, side, side);
  }
}

function paintCeiling(pen: Pen, side: number): void {
  const middle = side / 2;
  const shade = pen.createRadialGradient(middle, middle, skylight / 2, middle, middle, side * 0.7);
  shade.addColorStop(0, '#f1ebe0');
  shade.addColorStop(1, '#a79d8e');
  pen.fillStyle = shade;
  pen.fillRect(0, 0, side, side);
  const [from, part] = [middle - skylight / 2, skylight / 3];
  pen.fillStyle = '#cfc6b7';
  pen.fillRect(from - 0.35, from - 0.35, skylight + 0.7, skylight + 0.7);
  for (let i = 0; i < 9; i++) {
    const [x, y] = [from + (i % 3) * part + 0.07, from + Math.floor(i / 3) * part + 0.07];
    pen.fillStyle = gradient(pen, [from, from, from + skylight, from + skylight], [0, '#cfe4f7'], [0.6, '#f3f7fb'], [1, '#fff1d8']);
    pen.fillRect(x, y, part - 0.14, part - 0.14);
  }
}
