// Images, videos and sounds. An image or a video is 1 m high at scale 1 and faces +z.

import type { Entity } from 'playcanvas';
import { contentAddress, number, placementOf } from '../entity.ts';
import type { EntityRow } from '../server/space.ts';
import { Film } from './film.ts';
import { Picture, loadImage } from './picture.ts';
import { setPlacement } from './thing.ts';
import type { Surroundings, Target, Thing } from './thing.ts';

export class Image implements Thing {
  readonly node: Entity;
  private readonly picture: Picture;
  private readonly surroundings: Surroundings;

  static async load(entity: EntityRow, surroundings: Surroundings): Promise<Image> {
    const image = await loadImage(contentAddress(entity));
    return new Image(entity, image, surroundings);
  }

  private constructor(entity: EntityRow, image: ImageBitmap, surroundings: Surroundings) {
    this.surroundings = surroundings;
    this.node = surroundings.stage.node(entity.entityId);
    this.picture = new Picture(surroundings.stage, image);
    this.picture.resize(image.width / image.height, 1);
    this.node.addChild(this.picture.node);
    this.place(entity);
  }

  place(entity: EntityRow): void {
    setPlacement(this.node, placementOf(entity.data));
    this.surroundings.stage.invalidate();
  }

  destroy(): void {
    this.picture.destroy();
    this.node.destroy();
    this.surroundings.stage.invalidate();
  }
}

/** A video plays silently; a click pauses or continues it. */
export class Video implements Thing {
  readonly node: Entity;
  readonly targets: readonly Target[];
  private readonly film: Film;
  private readonly surroundings: Surroundings;

  static async load(entity: EntityRow, surroundings: Surroundings): Promise<Video> {
    return new Video(entity, await Film.load(contentAddress(entity), surroundings), surroundings);
  }

  private constructor(entity: EntityRow, film: Film, surroundings: Surroundings) {
    this.surroundings = surroundings;
    this.film = film;
    this.node = surroundings.stage.node(entity.entityId);
    film.picture.resize(film.aspect, 1);
    this.node.addChild(film.picture.node);
    this.targets = [{ node: this.node, width: film.aspect, height: 1, activate: () => film.toggle() }];
    this.place(entity);
  }

  place(entity: EntityRow): void {
    setPlacement(this.node, placementOf(entity.data));
    this.surroundings.stage.invalidate();
  }

  destroy(): void {
    this.film.destroy();
    this.node.destroy();
    this.surroundings.stage.invalidate();
  }
}

/** A sound is heard around its place, once the visitor has switched sound on. */
export class Sound implements Thing {
  readonly node: Entity;
  private readonly audio: HTMLAudioElement;
  private readonly surroundings: Surroundings;
  private volume = 1;

  constructor(entity: EntityRow, surroundings: Surroundings) {
    this.surroundings = surroundings;
    this.node = surroundings.stage.node(entity.entityId);
    this.audio = document.createElement('audio');
    Object.assign(this.audio, { crossOrigin: 'anonymous', loop: true, preload: 'none', src: contentAddress(entity) });
    surroundings.stage.app.on('update', this.update, this);
    this.place(entity);
  }

  /** Switches the sound on or off. It must be called while the visitor presses a button. */
  listen(on: boolean): void {
    if (on)
      this.audio.play().catch(() => {}); // a browser may refuse: the page stays silent
    else this.audio.pause();
  }

  private update(): void {
    if (this.audio.paused) return;
    const distance = this.node.getPosition().distance(this.surroundings.stage.camera.getPosition());
    // Full volume up to a metre away, a quarter at twice the distance.
    this.audio.volume = Math.min(1, this.volume / Math.max(1, distance) ** 2);
  }

  place(entity: EntityRow): void {
    setPlacement(this.node, placementOf(entity.data));
    this.volume = Math.min(1, Math.max(0, number(entity.data, 'volume', 1)));
  }

  destroy(): void {
    this.audio.pause();
    this.audio.removeAttribute('src');
    this.surroundings.stage.app.off('update', this.update, this);
    this.node.destroy();
  }
}
