// The handles in the view that move, turn and scale.

import { Gizmo, RotateGizmo, ScaleGizmo, TranslateGizmo } from 'playcanvas';
import type { Entity, Layer, TransformGizmo } from 'playcanvas';
import type { Stage } from '../scene/stage.ts';
import type { Part } from './fields.ts';

export interface GizmoEvents {
  start(): void;
  moved(part: Part): void;
  end(part: Part): void;
}

const kinds = { position: TranslateGizmo, rotation: RotateGizmo, scale: ScaleGizmo };

/** Steps while Shift is held: metres, degrees, factors. */
const steps: Record<Part, number> = { position: 0.25, rotation: 15, scale: 0.25 };

export class Gizmos {
  private readonly stage: Stage;
  private readonly layer: Layer;
  private readonly events: GizmoEvents;
  private readonly made = new Map<Part, TransformGizmo>();
  private readonly off = new AbortController();
  private part: Part = 'position';
  private node: Entity | null = null;

  constructor(stage: Stage, events: GizmoEvents) {
    this.stage = stage;
    this.events = events;
    this.layer = Gizmo.createLayer(stage.app);
    const canvas = stage.app.graphicsDevice.canvas as HTMLCanvasElement;
    const options = { signal: this.off.signal };
    // A touch that the system takes away has no other end.
    canvas.addEventListener('pointercancel', () => this.release(), options);
    for (const name of ['keydown', 'keyup'] as const) {
      window.addEventListener(name, (event) => this.snap(event.shiftKey), options);
    }
  }

  get mode(): Part {
    return this.part;
  }

  set mode(part: Part) {
    this.made.get(this.part)?.detach();
    this.part = part;
    this.show();
  }

  /** Shows the handles at a node; null hides them. */
  attach(node: Entity | null): void {
    if (node === this.node) return;
    this.node = node;
    this.show();
  }

  private show(): void {
    const gizmo = this.made.get(this.part) ?? this.make(this.part);
    if (this.node) gizmo.attach(this.node);
    else gizmo.detach();
    this.stage.invalidate();
  }

  private make(part: Part): TransformGizmo {
    const gizmo = new kinds[part](this.stage.camera.camera!, this.layer);
    gizmo.size = matchMedia('(pointer: coarse)').matches ? 1.6 : 1.2;
    gizmo.snapIncrement = steps[part];
    gizmo.on('render:update', () => this.stage.invalidate());
    gizmo.on('transform:start', () => this.events.start());
    gizmo.on('transform:move', () => this.events.moved(part));
    gizmo.on('transform:end', () => this.events.end(part));
    this.made.set(part, gizmo);
    return gizmo;
  }

  private snap(on: boolean): void {
    for (const gizmo of this.made.values()) gizmo.snap = on;
  }

  private release(): void {
    this.made.get(this.part)?.detach();
    this.show();
  }

  destroy(): void {
    this.off.abort();
    const { app, camera } = this.stage;
    for (const gizmo of this.made.values()) gizmo.destroy();
    camera.camera!.layers = camera.camera!.layers.filter((id) => id !== this.layer.id);
    app.scene.layers.remove(this.layer);
    this.stage.invalidate();
  }
}
