// An entity with a plugin: what the plugin shows, and what it learns about the visitor.

import { Vec3 } from 'playcanvas';
import type { Entity } from 'playcanvas';
import { contentAddress, nameOf, object, placementOf } from '../entity.ts';
import type { EntityRow } from '../server/space.ts';
import { setPlacement } from '../scene/thing.ts';
import type { Surroundings, Target, Thing } from '../scene/thing.ts';
import { PluginPanel } from '../ui/pluginpanel.ts';
import { Host } from './host.ts';
import type { Reason } from './host.ts';
import type { Message } from './message.ts';
import { Shapes } from './shapes.ts';

/** A visitor is near within the first distance, until beyond the second, in metres. */
const near = 3;
const far = 3.5;
/** Milliseconds between two messages about the visitor's place. */
const interval = 250;

export class Plugin implements Thing {
  readonly node: Entity;
  private readonly surroundings: Surroundings;
  private readonly shapes: Shapes;
  private readonly panel: PluginPanel;
  private readonly host: Host;
  private placement: object;
  /** What the plugin knows of its entity, as JSON. */
  private known: string;
  private isNear = false;
  private reported = 0;
  private readonly lastEye = new Vec3(NaN, NaN, NaN);

  constructor(entity: EntityRow, surroundings: Surroundings, ended: (reason: Reason) => void) {
    this.surroundings = surroundings;
    const { stage, messages, plugins } = surroundings;
    this.node = stage.node(entity.entityId);
    this.shapes = new Shapes(stage, this.node, (shape) => {
      this.panel.allow();
      this.host.send({ type: 'click', shape });
    });
    this.panel = new PluginPanel(plugins.panels, messages, nameOf(entity), (button) => {
      this.host.send({ type: 'press', button });
    });
    this.placement = placementOf(entity.data);
    this.setPlace();
    const description = described(entity);
    this.known = JSON.stringify(description);
    const start = { space: plugins.space, language: plugins.language, entity: description, visitor: this.visitor() };
    this.host = new Host(plugins.frame, contentAddress(entity), start, {
      message: (message) => this.receive(message),
      ended: (reason) => {
        this.shapes.clear();
        this.panel.destroy();
        stage.app.off('update', this.update, this);
        stage.invalidate();
        ended(reason);
      },
    });
    stage.app.on('update', this.update, this);
  }

  get targets(): readonly Target[] {
    return this.shapes.targets;
  }

  private receive(message: Message): void {
    if (message.type === 'show') this.shapes.show(message.shapes);
    else if (message.type === 'panel') this.panel.show(message.content);
    else {
      const { type: _, ...moved } = message;
      this.placement = { ...this.placement, ...moved };
      this.setPlace();
    }
  }

  private setPlace(): void {
    setPlacement(this.node, this.placement as ReturnType<typeof placementOf>);
    this.surroundings.stage.invalidate();
  }

  /**
   * Places the entity and tells the plugin, if the entity has changed. When the page reads its space
   * again, it calls this for every entity.
   */
  place(entity: EntityRow): void {
    const description = described(entity);
    const known = JSON.stringify(description);
    if (known === this.known) return;
    this.known = known;
    this.placement = placementOf(entity.data);
    this.setPlace();
    this.host.send({ type: 'entity', entity: description });
  }

  private visitor(): { position: number[]; yaw: number } {
    const { camera } = this.surroundings.stage;
    const { x, y, z } = camera.getPosition();
    const { forward } = camera;
    return { position: [x, y, z], yaw: (Math.atan2(-forward.x, -forward.z) * 180) / Math.PI };
  }

  /** Says where the visitor is, after a move. */
  private update(): void {
    const now = performance.now();
    const eye = this.surroundings.stage.camera.getPosition();
    if (now - this.reported < interval || this.lastEye.equals(eye)) return;
    this.reported = now;
    this.lastEye.copy(eye);
    this.host.send({ type: 'visitor', visitor: this.visitor() });
    const distance = eye.distance(this.node.getPosition());
    if (distance < (this.isNear ? far : near) === this.isNear) return;
    this.isNear = !this.isNear;
    if (this.isNear) this.panel.allow();
    this.host.send({ type: this.isNear ? 'enter' : 'leave' });
  }

  destroy(): void {
    this.host.destroy();
    this.panel.destroy();
    this.surroundings.stage.app.off('update', this.update, this);
    this.shapes.clear();
    this.node.destroy();
    this.surroundings.stage.invalidate();
  }
}

/** Returns what a plugin knows of its entity. */
function described(entity: EntityRow): object {
  return { id: entity.entityId, name: nameOf(entity), params: object(entity.data, 'params'), ...placementOf(entity.data) };
}
