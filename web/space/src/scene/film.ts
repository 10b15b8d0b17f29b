// A picture that plays a video silently and repeats it.

import { Picture } from './picture.ts';
import type { Surroundings } from './thing.ts';

export class Film {
  readonly picture: Picture;
  /** The width of the video at a height of 1. */
  readonly aspect: number;
  private readonly video: HTMLVideoElement;
  private readonly surroundings: Surroundings;

  static async load(address: string, surroundings: Surroundings): Promise<Film> {
    const video = document.createElement('video');
    Object.assign(video, { crossOrigin: 'anonymous', muted: true, loop: true, playsInline: true, preload: 'auto' });
    await new Promise((resolve, reject) => {
      video.addEventListener('loadeddata', resolve, { once: true });
      video.addEventListener('error', () => reject(new Error(video.error?.message ?? 'no video')), { once: true });
      video.src = address;
    });
    return new Film(video, surroundings);
  }

  /** Starts to play, unless the visitor asked for reduced motion. */
  private constructor(video: HTMLVideoElement, surroundings: Surroundings) {
    this.surroundings = surroundings;
    this.video = video;
    video.width = video.videoWidth;
    video.height = video.videoHeight;
    this.aspect = video.videoWidth / video.videoHeight;
    this.picture = new Picture(surroundings.stage, video, { mipmaps: false });
    surroundings.stage.app.on('update', this.update, this);
    if (!surroundings.reducedMotion) this.toggle();
  }

  /** Pauses or continues. */
  toggle(): void {
    if (!this.video.paused) {
      this.video.pause();
      this.surroundings.stage.moving.delete(this);
      return;
    }
    this.surroundings.stage.moving.add(this);
    // A browser that saves power may refuse; a click tries again.
    this.video.play().catch(() => this.surroundings.stage.moving.delete(this));
  }

  private update(): void {
    if (!this.video.paused) this.picture.texture.upload();
  }

  destroy(): void {
    this.video.pause();
    this.video.removeAttribute('src');
    this.surroundings.stage.moving.delete(this);
    this.surroundings.stage.app.off('update', this.update, this);
    this.picture.destroy();
  }
}
