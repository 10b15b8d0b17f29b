// Shows the look of a space: its sky, its light, effects over the picture, and its sound. Only spaces
// with a look load this.

import {
  CameraFrame,
  Color,
  LAYERID_SKYBOX,
  PIXELFORMAT_RGBA8,
  Quat,
  SKYTYPE_BOX,
  SKYTYPE_DOME,
  SKYTYPE_INFINITE,
  TEXTUREPROJECTION_CUBE,
  TEXTUREPROJECTION_EQUIRECT,
  Texture,
  reprojectTexture,
} from 'playcanvas';
import type { Asset } from 'playcanvas';
import { fileName } from '../entity.ts';
import type { Stage } from '../scene/stage.ts';
import type { Data } from '../server/space.ts';
import { gradientFaces } from './gradient.ts';
import { needsEffects, readLook } from './read.ts';
import type { Look, Rgb, Sky } from './read.ts';

/** Edges of the cubes of skies, in pixels. */
const [pictureSize, gradientSize] = [1024, 64];
const skyTypes = { infinite: SKYTYPE_INFINITE, dome: SKYTYPE_DOME, box: SKYTYPE_BOX };

export interface LookOptions {
  stage: Stage;
  /** Reports whether the page may load from an address. */
  mayLoad(address: string): boolean;
}

export class LookView {
  private readonly options: LookOptions;
  private frame: CameraFrame | null = null;
  private readonly audio = new Audio();
  private listening = false;
  /** What the sky shows, as a text that changes with it. */
  private sky = '';
  private cube: Texture | null = null;
  /** The mean colour of the sky. */
  private skyColour: Rgb | null = null;

  constructor(options: LookOptions) {
    this.options = options;
    this.audio.crossOrigin = 'anonymous';
    this.audio.preload = 'none';
  }

  /** Shows the look of these settings. Resolves when its sky is there, or cannot be loaded. */
  async apply(data: Data): Promise<void> {
    const look = readLook(data);
    const { stage } = this.options;
    this.light(look);
    this.play(look);
    stage.paint(look.background && colourOf(look.background));
    this.effects(look);
    stage.invalidate();
    await this.showSky(look.sky);
    this.light(look);
    stage.invalidate();
  }

  private light({ light }: Look): void {
    const { stage } = this.options;
    const { component } = stage.light;
    component.type = light.point ? 'omni' : 'directional';
    component.intensity = stage.light.intensity * light.intensity;
    component.color = light.colour ? colourOf(light.colour) : new Color(1, 1, 1);
    component.range = light.range;
    component.entity.setPosition(0, 3, 0);
    component.entity.setEulerAngles(-light.elevation, light.rotation, 0);
    const { r, g, b } = stage.light.around;
    const strongest = Math.max(0.01, ...(this.skyColour ?? [1]));
    const [red, green, blue] = (this.skyColour ?? [1, 1, 1]).map((value) => (light.around * value) / strongest);
    stage.app.scene.ambientLight = new Color(r * red!, g * green!, b * blue!);
  }

  private effects(look: Look): void {
    const { stage } = this.options;
    const camera = stage.camera.camera!;
    const isNeeded = needsEffects(look);
    if (!isNeeded && this.frame) {
      stage.useEffects(null);
      this.frame.destroy();
      this.frame = null;
    }
    camera.toneMapping = look.toneMapping;
    if (!isNeeded) return;
    this.frame ??= new CameraFrame(stage.app, camera);
    const { rendering, bloom, grading, vignette } = this.frame;
    Object.assign(rendering, { toneMapping: look.toneMapping, sharpness: look.sharpness });
    Object.assign(bloom, look.bloom);
    Object.assign(grading, { enabled: true, brightness: look.brightness, contrast: look.contrast, saturation: look.saturation });
    Object.assign(vignette, look.vignette);
    this.frame.update();
    stage.useEffects(this.frame);
  }

  private async showSky(sky: Sky | null): Promise<void> {
    const { stage, mayLoad } = this.options;
    const { scene } = stage.app;
    const usable = sky && (!sky.image || mayLoad(sky.image)) ? sky : null;
    const content = usable ? JSON.stringify([usable.image, usable.image ? null : usable.colours]) : '';
    if (content !== this.sky) {
      this.sky = content;
      const asset = usable?.image ? await this.loadPicture(usable.image) : null;
      // A newer look may have come while the picture was loaded.
      if (this.sky === content) this.fillSky(usable, asset);
      if (asset) stage.unload(asset);
      if (this.sky !== content) return;
    }
    if (!usable || !this.cube) return;
    const { type, intensity, rotation, scale, centre, hidden } = usable;
    scene.skyboxIntensity = intensity;
    scene.skyboxRotation = new Quat().setFromEulerAngles(0, rotation, 0);
    scene.sky.type = skyTypes[type];
    scene.sky.node.setLocalScale(scale, scale, scale);
    scene.sky.center.set(0, centre, 0);
    this.skyLayer(!hidden);
  }

  private skyLayer(on: boolean): void {
    const layer = this.options.stage.app.scene.layers.getLayerById(LAYERID_SKYBOX);
    if (layer) layer.enabled = on;
  }

  private async loadPicture(address: string): Promise<Asset | null> {
    try {
      return await this.options.stage.load('texture', address, fileName(address));
    } catch (error) {
      console.warn('The picture of the sky cannot be shown:', error);
      return null;
    }
  }

  private fillSky(sky: Sky | null, picture: Asset | null): void {
    this.clearSky();
    const device = this.options.stage.app.graphicsDevice;
    if (picture) {
      const source = picture.resource as Texture;
      source.projection = TEXTUREPROJECTION_EQUIRECT;
      const cube = new Texture(device, {
        name: 'sky',
        cubemap: true,
        width: pictureSize,
        height: pictureSize,
        format: PIXELFORMAT_RGBA8,
        mipmaps: false,
        projection: TEXTUREPROJECTION_CUBE,
      });
      // One sample for each pixel: more would take a slow device seconds.
      reprojectTexture(source, cube, { numSamples: 1 });
      this.useSky(cube, meanColour(source.getSource()));
    } else if (sky?.colours && !sky.image) {
      const faces = gradientFaces(sky.colours, gradientSize);
      const cube = new Texture(device, {
        name: 'sky',
        cubemap: true,
        width: gradientSize,
        height: gradientSize,
        format: PIXELFORMAT_RGBA8,
        mipmaps: false,
        projection: TEXTUREPROJECTION_CUBE,
        levels: [faces],
      });
      this.useSky(cube, sky.colours[1]);
    }
  }

  /** Shows a sky, and lets its colour light models from all sides. */
  private useSky(cube: Texture, colour: Rgb | null): void {
    this.cube = cube;
    this.options.stage.app.scene.skybox = cube;
    this.skyColour = colour;
  }

  private clearSky(): void {
    if (!this.cube) return;
    const { scene } = this.options.stage.app;
    scene.skybox = null;
    scene.sky.type = SKYTYPE_INFINITE;
    this.cube.destroy();
    this.cube = null;
    this.skyColour = null;
  }

  private play({ sound }: Look): void {
    const address = sound && this.options.mayLoad(sound.address) ? new URL(sound.address, location.href).href : '';
    if (sound) Object.assign(this.audio, { loop: sound.loop, volume: sound.volume });
    if (this.audio.src === address) return;
    this.audio.pause();
    if (address) this.audio.src = address;
    else this.audio.removeAttribute('src');
    this.listen(this.listening);
  }

  /** Switches the sound on or off. It must be called while the visitor presses a button. */
  listen(on: boolean): void {
    this.listening = on;
    if (!this.audio.src) return;
    if (on)
      this.audio.play().catch(() => {}); // a browser may refuse: the page stays silent
    else this.audio.pause();
  }

  destroy(): void {
    this.audio.pause();
    this.audio.removeAttribute('src');
    this.sky = '';
    this.clearSky();
    this.frame?.destroy();
  }
}

/** Returns the mean colour of a picture; null where the browser does not show its pixels. */
function meanColour(picture: unknown): Rgb | null {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  try {
    const context = canvas.getContext('2d')!;
    context.drawImage(picture as CanvasImageSource, 0, 0, 1, 1);
    const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
    return [r! / 255, g! / 255, b! / 255];
  } catch {
    return null; // such as a picture of more than 8 bits
  }
}

function colourOf([r, g, b]: Rgb): Color {
  return new Color(r, g, b);
}
