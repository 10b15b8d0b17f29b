// Rectangles with a picture: images, videos, the surfaces and titles of gates.

import {
  ADDRESS_CLAMP_TO_EDGE,
  BLEND_NORMAL,
  CULLFACE_NONE,
  Color,
  Entity,
  FILTER_LINEAR,
  FILTER_LINEAR_MIPMAP_LINEAR,
  PIXELFORMAT_SRGBA8,
  StandardMaterial,
  Texture,
  Vec2,
} from 'playcanvas';
import type { Stage } from './stage.ts';

type Source = HTMLCanvasElement | HTMLVideoElement | ImageBitmap;

/** A plane that shows a texture as it is, without light. It is upright and faces +z. */
export class Picture {
  readonly node: Entity;
  readonly texture: Texture;
  private readonly material: StandardMaterial;

  constructor(stage: Stage, source: Source, options: { mipmaps?: boolean } = {}) {
    const mipmaps = options.mipmaps ?? true;
    this.texture = new Texture(stage.app.graphicsDevice, {
      width: source.width || 2,
      height: source.height || 2,
      format: PIXELFORMAT_SRGBA8,
      mipmaps,
      minFilter: mipmaps ? FILTER_LINEAR_MIPMAP_LINEAR : FILTER_LINEAR,
      magFilter: FILTER_LINEAR,
      addressU: ADDRESS_CLAMP_TO_EDGE,
      addressV: ADDRESS_CLAMP_TO_EDGE,
      anisotropy: 4,
    });
    this.texture.setSource(source as HTMLCanvasElement);
    this.material = new StandardMaterial();
    this.material.useLighting = false;
    this.material.useTonemap = false;
    // The engine adds the ambient light to what has a diffuse colour, even without lighting.
    this.material.diffuse = Color.BLACK;
    this.material.emissive = Color.WHITE;
    this.material.emissiveMap = this.texture;
    this.material.opacityMap = this.texture;
    this.material.opacityMapChannel = 'a';
    this.material.blendType = BLEND_NORMAL;
    this.material.cull = CULLFACE_NONE;
    this.material.update();
    this.node = plane(stage, this.material);
  }

  /** Sets the size in metres. */
  resize(width: number, height: number): void {
    this.node.setLocalScale(width, 1, height);
  }

  /** Fills a rectangle with the middle of a picture of another shape; both are widths at a height of 1. */
  crop(rectangle: number, picture: number): void {
    const [x, y] = [Math.min(1, rectangle / picture), Math.min(1, picture / rectangle)];
    for (const map of ['emissiveMap', 'opacityMap'] as const) {
      this.material[`${map}Tiling`] = new Vec2(x, y);
      this.material[`${map}Offset`] = new Vec2((1 - x) / 2, (1 - y) / 2);
    }
    this.material.update();
  }

  destroy(): void {
    this.node.destroy();
    this.material.destroy();
    this.texture.destroy();
  }
}

/** Returns an upright plane of 1 by 1 m below a node of its own; scale x and z to size it. */
export function plane(stage: Stage, material: StandardMaterial): Entity {
  const node = new Entity('plane', stage.app);
  node.addComponent('render', { type: 'plane', material });
  node.setLocalEulerAngles(90, 0, 0);
  return node;
}

/** Loads an image of the server, of at most the size that textures of all devices have. */
export async function loadImage(address: string): Promise<ImageBitmap> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const image = await createImageBitmap(await response.blob());
  const limit = 4096;
  const factor = limit / Math.max(image.width, image.height);
  if (factor >= 1) return image;
  return createImageBitmap(image, {
    resizeWidth: Math.round(image.width * factor),
    resizeHeight: Math.round(image.height * factor),
  });
}

/** Draws a line of text in white on a dark label. */
export function drawLabel(line: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = 1024;
  canvas.height = 160;
  const context = canvas.getContext('2d')!;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  // A long title gets smaller letters, down to a size that can still be read.
  let size = 84;
  do {
    context.font = `600 ${size}px Figtree, system-ui, sans-serif`;
    size -= 4;
  } while (context.measureText(line).width > canvas.width - 80 && size > 40);
  let shown = line;
  while (context.measureText(shown).width > canvas.width - 80) shown = `${[...shown].slice(0, -2).join('')}…`;
  // The label is as wide as its text.
  const width = context.measureText(shown).width + 80;
  context.fillStyle = '#14171ce6';
  context.beginPath();
  context.roundRect((canvas.width - width) / 2, 0, width, canvas.height, 40);
  context.fill();
  context.fillStyle = '#ffffff';
  context.fillText(shown, canvas.width / 2, canvas.height / 2);
  return canvas;
}
