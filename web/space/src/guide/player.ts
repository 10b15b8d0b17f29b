// Plays a sequence in the scene: it moves the camera and the entities.

import type { Entity } from 'playcanvas';
import { lookAt } from '../move/controls.ts';
import type { Controls } from '../move/controls.ts';
import type { Stage } from '../scene/stage.ts';
import type { Mode } from '../view.ts';
import { cameraId, markersBetween, valueAt } from './sequence.ts';
import type { Marker, Sequence, Track } from './sequence.ts';

/** A tab that was hidden continues where it was. */
const maxFrameTime = 0.1;
const filters = ['brightness', 'contrast', 'saturation'] as const;

export interface Playback {
  sequence: Sequence;
  loop?: boolean;
  reverse?: boolean;
  /** The frame where it starts; the first by default. */
  from?: number;
  /** Where the visitor continues. */
  mode: Mode;
  /** Returns the last frame that may be shown now; playing waits there. */
  limit?(frame: number): number;
  frame?(frame: number): void;
  marker?(marker: Marker): void;
  /** It was played to its end. */
  end?(): void;
}

export class Player {
  frame = 0;
  private playback: Playback | null = null;
  private paused = false;
  private readonly stage: Stage;
  private readonly controls: Controls;
  private readonly nodeOf: (entityId: string) => Entity | null;
  private hasFov = false;

  constructor(stage: Stage, controls: Controls, nodeOf: (entityId: string) => Entity | null) {
    this.stage = stage;
    this.controls = controls;
    this.nodeOf = nodeOf;
    stage.app.on('update', this.update, this);
  }

  /** Whether something is played and not paused. */
  get playing(): boolean {
    return this.playback !== null && !this.paused;
  }

  get sequence(): Sequence | null {
    return this.playback?.sequence ?? null;
  }

  play(playback: Playback): void {
    this.stop();
    this.playback = playback;
    this.paused = false;
    this.controls.enabled = false;
    this.frame = playback.from ?? (playback.reverse ? playback.sequence.length : 0);
    this.apply();
    for (const marker of playback.sequence.markers) if (marker.frame === this.frame) playback.marker?.(marker);
  }

  /** Lets the visitor move, until play is called again or resume. */
  pause(): void {
    if (!this.playing) return;
    this.paused = true;
    this.release();
  }

  resume(): void {
    if (!this.playback || !this.paused) return;
    this.paused = false;
    this.controls.enabled = false;
    this.apply();
  }

  /** Ends the playback where it is, and gives the camera back to the visitor. */
  stop(): void {
    if (!this.playback) return;
    if (!this.paused) this.release();
    this.playback = null;
    this.paused = false;
  }

  private release(): void {
    const { canvas } = this.stage.app.graphicsDevice;
    canvas.style.filter = '';
    if (this.hasFov) this.stage.refit();
    this.hasFov = false;
    if (this.stage.app.xr?.active) return;
    this.controls.enabled = true;
    const { mode } = this.playback!;
    this.controls.show({ ...this.controls.current, mode });
  }

  private update(seconds: number): void {
    const { playback } = this;
    if (!playback || this.paused) return;
    const { sequence, reverse } = playback;
    const before = this.frame;
    const way = Math.min(seconds, maxFrameTime) * sequence.fps;
    let next = reverse ? Math.max(0, before - way) : Math.min(sequence.length, before + way);
    if (playback.limit) next = Math.min(next, playback.limit(before));
    this.frame = next;
    this.apply();
    for (const marker of markersBetween(sequence, before, next)) playback.marker?.(marker);
    if (this.playback !== playback || this.paused) return; // a marker has stopped it
    playback.frame?.(next);
    if (next !== (reverse ? 0 : sequence.length)) return;
    if (playback.loop) {
      this.frame = reverse ? sequence.length : 0;
      for (const marker of sequence.markers) if (marker.frame === this.frame) playback.marker?.(marker);
      return;
    }
    this.stop();
    playback.end?.();
  }

  private apply(): void {
    for (const [id, tracks] of this.playback!.sequence.entities) {
      if (id === cameraId) this.moveCamera(tracks);
      else this.moveEntity(this.nodeOf(id), tracks);
    }
    this.stage.invalidate();
  }

  private moveEntity(node: Entity | null, tracks: readonly Track[]): void {
    if (!node) return;
    for (const track of tracks) {
      const [x, y, z, w] = valueAt(track, this.frame);
      if (track.property === 'position' && track.type === 'vec3') node.setLocalPosition(x!, y!, z!);
      else if (track.property === 'rotation' && track.type === 'quat') node.setLocalRotation(x!, y!, z!, w!);
      else if (track.property === 'scale' && track.type !== 'quat') node.setLocalScale(x!, y ?? x!, z ?? x!);
    }
  }

  private moveCamera(tracks: readonly Track[]): void {
    if (this.stage.app.xr?.active) return; // nothing moves the visitor's head
    const { camera } = this.stage;
    const value = (property: string, type: Track['type']): number[] | null => {
      const track = tracks.find((one) => one.property === property && one.type === type);
      return track ? valueAt(track, this.frame) : null;
    };
    const position = value('position', 'vec3');
    const rotation = value('rotation', 'quat');
    const fov = value('fov', 'number')?.[0];
    if (position || rotation) {
      const [x, y, z] = position ?? this.controls.current.eye;
      camera.setPosition(x!, y!, z!);
      if (rotation) camera.setRotation(rotation[0]!, rotation[1]!, rotation[2]!, rotation[3]!);
      const { distance } = this.controls.current;
      const { forward } = camera;
      const target = [x! + forward.x * distance, y! + forward.y * distance, z! + forward.z * distance];
      const turned = camera.getRotation().clone();
      // The others, and links, have the view of the camera. It may also roll, which views do not.
      this.controls.show(lookAt('fly', [x!, y!, z!], target));
      camera.setRotation(turned);
    }
    if (fov !== undefined && fov > 0 && fov < 180) {
      camera.camera!.fov = fov;
      this.hasFov = true;
    }
    const filter = filters.flatMap((name) => {
      const factor = value(name, 'number')?.[0];
      return factor === undefined || factor === 1 ? [] : [`${name === 'saturation' ? 'saturate' : name}(${Math.max(0, factor)})`];
    });
    this.stage.app.graphicsDevice.canvas.style.filter = filter.join(' ');
  }

  destroy(): void {
    this.stop();
    this.stage.app.off('update', this.update, this);
  }
}
