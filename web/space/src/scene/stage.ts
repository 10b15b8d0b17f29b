// The engine: a canvas, a camera, light, and frames that are drawn only when something
// has changed. The files of this folder are the only ones that know the engine.

import {
  AnimClipHandler,
  AnimComponentSystem,
  AnimStateGraphHandler,
  AppBase,
  AppOptions,
  Asset,
  CameraComponentSystem,
  Color,
  ContainerHandler,
  Entity,
  FILLMODE_NONE,
  GSplatComponentSystem,
  GSplatHandler,
  LightComponentSystem,
  RESOLUTION_AUTO,
  RenderComponentSystem,
  TextureHandler,
  Vec3,
  createGraphicsDevice,
} from 'playcanvas';
import type { GSplatComponent, LightComponent } from 'playcanvas';
import { modelOptions } from '../decode/meshopt.ts';
import { chosenQuality, detailOf } from '../quality.ts';
import type { Detail, Quality } from '../quality.ts';

/** The background of posters too (package picture), so that the first frame looks as the poster before it. */
const background = new Color(0.1, 0.11, 0.13);
/** The vertical field of view in degrees, of posters too. */
const fieldOfView = 60;
/** The shape of posters. */
const posterAspect = 1.6;
/** What is nearer or farther is usually not drawn. */
const [nearest, farthest] = [0.05, 2000];
/** The share of the Gaussians for a headset, which draws each frame twice, 72 times a second or more. */
const headsetShare = 0.4;
/** How often the engine tries to load a file of a streamed capture. */
const streamTries = 3;

export class Stage {
  readonly app: AppBase;
  readonly camera: Entity;
  /** The parent of the camera: with a headset, the floor of the visitor's own room. */
  readonly rig: Entity;
  /** Things that change without input, such as videos. While there are any, all frames are drawn. */
  readonly moving = new Set<object>();
  /** Resolves when captures were drawn for the first time, at the level that they load first. */
  readonly splatsShown: Promise<void>;
  /** Called with the address of a file and the share of it that is loaded, from 0 to 1. */
  onProgress: (address: string, share: number) => void = () => {};
  /** Called when the files of a streamed capture cannot be loaded, before anything of it was drawn. */
  onStreamFailure: () => void = () => {};
  /** The light of models, with its intensity in a space without a look, and what comes from all sides. */
  readonly light: { component: LightComponent; intensity: number; around: Color };
  private ownBackground: Color | null = null;
  private ownFieldOfView: number | null = null;
  private effects: { enabled: boolean } | null = null;
  private detail: Detail = detailOf(chosenQuality());
  private readonly parent: HTMLElement;
  private subject: 'place' | 'object' | null = null;
  private readonly resizing: ResizeObserver;
  private isInHeadset = false;
  private showSplats: (() => void) | null = null;
  private readonly streaming = new Set<GSplatComponent>();
  private readonly loaded = new Map<string, { asset: Promise<Asset>; users: number }>();

  /** Starts the engine. It throws where the browser has no WebGL 2. */
  static async create(canvas: HTMLCanvasElement, webgpu: boolean): Promise<Stage> {
    const device = await createGraphicsDevice(canvas, {
      deviceTypes: webgpu ? ['webgpu', 'webgl2'] : ['webgl2'],
      antialias: false,
      powerPreference: 'high-performance',
    });
    device.maxPixelRatio = detailOf(chosenQuality()).pixelRatio;
    const options = new AppOptions();
    options.graphicsDevice = device;
    options.componentSystems = [
      CameraComponentSystem,
      LightComponentSystem,
      RenderComponentSystem,
      AnimComponentSystem,
      GSplatComponentSystem,
    ];
    options.resourceHandlers = [TextureHandler, ContainerHandler, GSplatHandler, AnimClipHandler, AnimStateGraphHandler];
    const app = new AppBase(canvas);
    app.init(options);
    return new Stage(app, canvas);
  }

  private constructor(app: AppBase, canvas: HTMLCanvasElement) {
    this.app = app;
    this.splatsShown = new Promise((resolve) => {
      this.showSplats = resolve;
    });
    app.setCanvasFillMode(FILLMODE_NONE);
    app.setCanvasResolution(RESOLUTION_AUTO);
    app.autoRender = false;
    this.camera = new Entity('camera', app);
    this.camera.addComponent('camera', { clearColor: background, fov: fieldOfView, nearClip: nearest, farClip: farthest });
    this.rig = new Entity('rig', app);
    this.rig.addChild(this.camera);
    app.root.addChild(this.rig);
    this.light = this.addLight();
    this.configureSplats();
    this.watchStreams();
    // The engine gives the canvas a size of its own, so only its parent follows the window.
    this.parent = canvas.parentElement!;
    this.resizing = new ResizeObserver(() => this.fit());
    this.resizing.observe(this.parent);
    app.on('update', () => {
      if (this.moving.size > 0) this.invalidate();
    });
    app.start();
    this.fit();
  }

  /**
   * Frames the page as its poster. That of a place fills the page, and a wide page cuts off its upper and
   * lower ends. That of an object fits into the page, and a narrow page shows more above and below it.
   */
  frame(subject: 'place' | 'object'): void {
    this.subject = subject;
    this.fit();
  }

  /** Moves the planes between which things are drawn, for a view of something very small or very large. */
  reach(distance: number): void {
    this.camera.camera!.nearClip = Math.min(nearest, distance / 10);
    this.camera.camera!.farClip = Math.max(farthest, distance * 10);
  }

  /** The vertical field of view in degrees, in a view with the shape of posters. */
  get fieldOfView(): number {
    return this.ownFieldOfView ?? fieldOfView;
  }

  /** Changes the field of view; null is that of posters. */
  setFieldOfView(degrees: number | null): void {
    if (degrees === this.ownFieldOfView) return;
    this.ownFieldOfView = degrees;
    this.fit();
  }

  /** Changes the background; null is that of posters. */
  paint(colour: Color | null): void {
    this.ownBackground = colour;
    this.clear();
  }

  /** Draws frames through passes with effects; null for none. A headset goes without them. */
  useEffects(effects: { enabled: boolean } | null): void {
    this.effects = effects;
    if (effects) effects.enabled = !this.isInHeadset;
    this.clear();
  }

  private clear(): void {
    const colour = this.ownBackground ?? background;
    // Effects work on a picture with linear colours.
    this.camera.camera!.clearColor = this.effects?.enabled ? new Color().linear(colour) : colour;
    this.invalidate();
  }

  /** Gives the camera the field of view that it has without an animation. */
  refit(): void {
    this.fit();
  }

  private fit(): void {
    const { clientWidth, clientHeight } = this.parent;
    this.app.resizeCanvas(clientWidth, clientHeight);
    const wider = clientWidth / Math.max(1, clientHeight) / posterAspect;
    const excess = wider > 1 === (this.subject === 'place') && this.subject ? wider : 1;
    this.camera.camera!.fov = (Math.atan(Math.tan((this.fieldOfView * Math.PI) / 360) / excess) * 360) / Math.PI;
    this.invalidate();
  }

  private addLight(): Stage['light'] {
    const around = new Color(0.55, 0.55, 0.58);
    this.app.scene.ambientLight = around;
    const light = new Entity('light', this.app);
    light.addComponent('light', { type: 'directional', intensity: 1.1 });
    light.setEulerAngles(45, 30, 0);
    this.app.root.addChild(light);
    return { component: light.light!, intensity: 1.1, around };
  }

  private configureSplats(): void {
    const { gsplat } = this.app.scene;
    gsplat.splatBudget = this.detail.splats;
    // Captures behind the visitor need less detail.
    gsplat.lodBehindPenalty = 5;
    // Turning does not show splats in a wrong order on a slow device.
    gsplat.radialSorting = true;
    const system = this.app.systems.gsplat!;
    system.on('frame:request', () => this.invalidate());
    system.on('frame:ready', (_camera: unknown, _layer: unknown, ready: boolean, loading: number) => {
      const complete = ready && loading === 0;
      if (!complete) this.invalidate();
      // The number of Gaussians of a frame is known when the next tick starts.
      this.app.once('frameupdate', () => {
        // The engine reports a first frame as ready before it has requested anything.
        if (this.countSplats() > 0 && complete) this.refine();
      });
    });
  }

  /**
   * Shows only the coarsest level of a streamed capture until all captures show that, so
   * that visitors see everything soon, and then the levels that the budget allows.
   */
  streamCoarsestFirst(splats: GSplatComponent): void {
    const levels = (splats.resource as { octree?: { lodLevels: number } } | null)?.octree?.lodLevels ?? 0;
    if (levels < 2) return;
    splats.lodRangeMin = splats.lodRangeMax = levels - 1;
    this.streaming.add(splats);
    this.invalidate();
  }

  /** Returns the number of Gaussians in the last frame, and shows it to tests and measurements. */
  private countSplats(): number {
    const { gsplats } = this.app.stats.frame;
    if (gsplats > 0) this.app.graphicsDevice.canvas.dataset['splats'] = String(gsplats);
    return gsplats;
  }

  /** Requests finer levels once everything that was requested is drawn. */
  private refine(): void {
    if (this.showSplats) {
      // The last frame is the first picture. Nothing finer delays it.
      this.showSplats();
      this.showSplats = null;
      this.app.once('frameend', () => this.stream());
      return;
    }
    this.stream();
  }

  /** Lets the captures load what the budget allows. The engine asks for a frame when there is more to see. */
  private stream(): void {
    for (const splats of this.streaming) {
      splats.lodRangeMin = 0;
      splats.lodRangeMax = 1000;
    }
    this.streaming.clear();
  }

  /** Forgets a capture that is removed. */
  endStreaming(splats: GSplatComponent): void {
    this.streaming.delete(splats);
  }

  /** Draws all frames, for a headset. seeThrough leaves out the background, in front of the visitor's room. */
  enterHeadset(seeThrough: boolean): void {
    this.app.scene.gsplat.splatBudget = Math.round(this.detail.splats * headsetShare);
    this.app.autoRender = true;
    this.isInHeadset = true;
    this.useEffects(this.effects);
    if (this.app.xr?.fixedFoveation != null) this.app.xr.fixedFoveation = 0.5;
    if (seeThrough) this.camera.camera!.clearColor = new Color(0, 0, 0, 0);
  }

  leaveHeadset(): void {
    this.app.scene.gsplat.splatBudget = this.detail.splats;
    this.app.autoRender = false;
    this.isInHeadset = false;
    this.useEffects(this.effects);
    // The engine resizes nothing before its session has ended, which it announces first.
    this.app.once('update', () => this.fit());
  }

  setQuality(quality: Quality): void {
    this.detail = detailOf(quality);
    this.app.graphicsDevice.maxPixelRatio = this.detail.pixelRatio;
    this.app.scene.gsplat.splatBudget = this.detail.splats;
    this.fit();
  }

  /** The engine tries each file of a streamed capture three times, and then draws without it. */
  private watchStreams(): void {
    const failures = new Map<string, number>();
    this.app.assets.on('error', (_: unknown, { type, file }: Asset) => {
      const url = (file as { url?: string } | null)?.url ?? '';
      if (type !== 'gsplat' || this.loaded.has(`gsplat ${url}`)) return;
      const count = (failures.get(url) ?? 0) + 1;
      failures.set(url, count);
      if (count % streamTries === 0 && this.showSplats) this.onStreamFailure();
    });
  }

  /** Requests a frame. */
  invalidate(): void {
    this.app.renderNextFrame = true;
  }

  /** Resolves when the frame was drawn. */
  drawFrame(): Promise<void> {
    this.invalidate();
    return new Promise((resolve) => this.app.once('frameend', resolve));
  }

  /**
   * Loads an asset of the engine. Entities with the same file share it: the engine keeps one
   * resource for an address, which an unload would take from all of them.
   */
  load(type: string, url: string, filename: string): Promise<Asset> {
    const key = `${type} ${url}`;
    const known = this.loaded.get(key);
    if (known) {
      known.users++;
      return known.asset;
    }
    const asset = this.loadNew(type, url, filename);
    this.loaded.set(key, { asset, users: 1 });
    asset.catch(() => this.loaded.delete(key));
    return asset;
  }

  private loadNew(type: string, url: string, filename: string): Promise<Asset> {
    this.onProgress(url, 0);
    return new Promise((resolve, reject) => {
      const asset = new Asset(filename, type, { url, filename }, {}, type === 'container' ? modelOptions : {});
      asset.on('progress', (loaded: number, total: number) => {
        if (total > 0) this.onProgress(url, Math.min(1, loaded / total));
      });
      asset.once('load', () => {
        this.onProgress(url, 1);
        resolve(asset);
      });
      asset.once('error', (problem: string) => {
        this.app.assets.remove(asset);
        asset.unload();
        reject(new Error(problem));
      });
      this.app.assets.add(asset);
      this.app.assets.load(asset);
    });
  }

  /** Releases an asset. The last user unloads it. */
  unload(asset: Asset): void {
    const key = `${asset.type} ${(asset.file as { url: string }).url}`;
    const known = this.loaded.get(key);
    if (known && --known.users > 0) return;
    this.loaded.delete(key);
    this.app.assets.remove(asset);
    asset.unload();
  }

  /** Returns a new node at the root of the scene. */
  node(name: string): Entity {
    const node = new Entity(name, this.app);
    this.app.root.addChild(node);
    return node;
  }

  /** Returns the ray through a point of the canvas, in CSS pixels. */
  ray(x: number, y: number): { from: Vec3; direction: Vec3 } {
    const camera = this.camera.camera!;
    const from = this.camera.getPosition().clone();
    const to = camera.screenToWorld(x, y, camera.farClip);
    return { from, direction: to.sub(from).normalize() };
  }

  destroy(): void {
    this.resizing.disconnect();
    this.app.destroy();
  }
}
