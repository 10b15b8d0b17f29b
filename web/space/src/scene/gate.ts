// Gates: a frame with a picture and a title, which lead to another space or to a page.

import { Color, Entity } from 'playcanvas';
import type { StandardMaterial } from 'playcanvas';
import { number, object, placementOf, text, triple } from '../entity.ts';
import type { Placement } from '../entity.ts';
import { destinationOf } from '../gatelink.ts';
import type { Destination } from '../gatelink.ts';
import type { EntityRow } from '../server/space.ts';
import { loadPreview } from '../server/space.ts';
import { boxNode, postOf } from './hub.ts';
import { glowingMaterial } from './material.ts';
import { Film } from './film.ts';
import { Picture, drawLabel, loadImage, plane } from './picture.ts';
import { setPlacement } from './thing.ts';
import type { Surroundings, Target, Thing } from './thing.ts';

/** The size of the opening at scale 1, in metres. */
const width = 2;
const height = 3;
const frame = 0.12;

/** Returns the position of a gate: a post of the room, or the position in dynamicGate. */
export function gatePlacement(entity: EntityRow): Placement {
  const post = postOf(entity.entityId);
  if (entity.type === 'Gate' && post) return post;
  const gate = object(entity.data, 'dynamicGate');
  const scale = object(gate, 'scale');
  return {
    position: triple(gate['position'], placementOf(entity.data).position),
    rotation: triple(gate['rotation'], [0, 0, 0]),
    scale: [number(scale, 'w', 1), number(scale, 'h', 1), 1],
  };
}

export class Gate implements Thing {
  readonly node: Entity;
  readonly targets: readonly Target[];
  readonly destination: Destination;
  title: string;
  private readonly surroundings: Surroundings;
  private readonly opening: Entity;
  private readonly materials: StandardMaterial[] = [];
  private readonly pictures: Picture[] = [];
  private readonly surface: Entity;
  private film: Film | null = null;
  private gone = false;
  private readonly open: (gate: Gate) => void;

  constructor(entity: EntityRow, surroundings: Surroundings, open: (gate: Gate) => void) {
    this.surroundings = surroundings;
    this.open = open;
    this.destination = destinationOf(entity);
    this.title = text(entity.data, 'title').trim();
    const { stage } = surroundings;
    this.node = stage.node(entity.entityId);
    this.opening = new Entity('opening', stage.app);
    this.opening.setLocalPosition(0, height / 2, 0);
    this.node.addChild(this.opening);
    this.surface = this.buildSurface();
    if (object(entity.data, 'dynamicGate')['frameless'] !== true) this.buildFrame();
    this.targets = this.destination.kind === 'none' ? [] : [{ node: this.opening, width, height, activate: () => this.enter() }];
    this.place(entity);
    void this.decorate(entity);
  }

  /** Goes where the gate leads. */
  enter(): void {
    this.open(this);
  }

  place(entity: EntityRow): void {
    setPlacement(this.node, gatePlacement(entity));
    this.surroundings.stage.invalidate();
  }

  private material(colour: Color, glow: number): StandardMaterial {
    const material = glowingMaterial(colour, glow);
    this.materials.push(material);
    return material;
  }

  private buildSurface(): Entity {
    // A gate that leads nowhere is dark.
    const colour = this.destination.kind === 'none' ? new Color(0.2, 0.17, 0.14) : new Color(0.16, 0.3, 0.5);
    const surface = plane(this.surroundings.stage, this.material(colour, 0.5));
    const back = plane(this.surroundings.stage, this.materials[0]!);
    back.setLocalEulerAngles(-90, 0, 0);
    for (const side of [surface, back]) {
      side.setLocalScale(width, 1, height);
      this.opening.addChild(side);
    }
    return surface;
  }

  private buildFrame(): void {
    const material = this.material(new Color(0.86, 0.82, 0.75), 0.3);
    const [w, h] = [width / 2, height];
    for (const box of [
      { min: [-w - frame, 0, -frame / 2], max: [-w, h, frame / 2] },
      { min: [w, 0, -frame / 2], max: [w + frame, h, frame / 2] },
      { min: [-w - frame, h, -frame / 2], max: [w + frame, h + frame, frame / 2] },
    ] as const) {
      this.node.addChild(boxNode(this.surroundings.stage, { min: [...box.min], max: [...box.max] }, material));
    }
  }

  /** Adds the title, the picture and the logo, where the page may load them. */
  private async decorate(entity: EntityRow): Promise<void> {
    let picture = text(entity.data, 'videoURL');
    let isOurs = false;
    if (this.destination.kind === 'space' && (this.title === '' || picture === '')) {
      // The title of the space behind the gate may be unknown: the space may be private.
      const preview = await loadPreview(this.destination.spaceId).catch(() => null);
      this.title ||= preview?.title ?? '';
      if (picture === '') [picture, isOurs] = [preview?.poster ?? '', true];
    }
    if (this.destination.kind === 'page') this.title ||= new URL(this.destination.address).host;
    if (this.gone) return;
    if (this.title !== '') this.addLabel(this.title);
    if (/\.(mp4|webm)(\?.*)?$/i.test(picture)) await this.addFilm(picture);
    else await this.addImage(picture, isOurs, (image) => this.cover(image));
    await this.addImage(text(entity.data, 'logoURL'), false, (logo) => this.addLogo(logo));
  }

  /** Adds an image; isOurs is whether the server has named its address. */
  private async addImage(address: string, isOurs: boolean, add: (image: ImageBitmap) => void): Promise<void> {
    const isImage = /\.(jpe?g|png|gif|webp)(\?.*)?$/i.test(address);
    if (!isImage || (!isOurs && !this.surroundings.mayLoad(address))) return;
    // A gate works without its picture.
    const image = await loadImage(address).catch(() => null);
    if (image && !this.gone) add(image);
    this.surroundings.stage.invalidate();
  }

  /** Fills the opening with the middle of a video. */
  private async addFilm(address: string): Promise<void> {
    if (!this.surroundings.mayLoad(address)) return;
    const film = await Film.load(address, this.surroundings).catch(() => null);
    if (!film) return;
    if (this.gone) {
      film.destroy();
      return;
    }
    film.picture.resize(width, height);
    film.picture.crop(width / height, film.aspect);
    this.surface.enabled = false;
    this.film = film;
    this.opening.addChild(film.picture.node);
    this.surroundings.stage.invalidate();
  }

  private addPicture(picture: Picture): void {
    this.pictures.push(picture);
    this.opening.addChild(picture.node);
    this.surroundings.stage.invalidate();
  }

  private addLabel(title: string): void {
    const label = new Picture(this.surroundings.stage, drawLabel(title));
    label.resize(width, (width * 160) / 1024);
    label.node.setLocalPosition(0, height / 2 + frame + 0.24, 0);
    this.addPicture(label);
  }

  /** Fills the opening with the middle of an image. */
  private cover(image: ImageBitmap): void {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [512, (512 * height) / width];
    const factor = Math.max(canvas.width / image.width, canvas.height / image.height);
    const [w, h] = [image.width * factor, image.height * factor];
    canvas.getContext('2d')!.drawImage(image, (canvas.width - w) / 2, (canvas.height - h) / 2, w, h);
    const picture = new Picture(this.surroundings.stage, canvas);
    picture.resize(width, height);
    this.surface.enabled = false;
    this.addPicture(picture);
  }

  private addLogo(image: ImageBitmap): void {
    const logo = new Picture(this.surroundings.stage, image);
    const size = 0.5;
    const ratio = image.width / image.height;
    logo.resize(size * Math.min(1, ratio), size / Math.max(1, ratio));
    logo.node.setLocalPosition(-width / 2 + 0.4, height / 2 - 0.4, 0.02);
    this.addPicture(logo);
  }

  destroy(): void {
    this.gone = true;
    this.film?.destroy();
    for (const picture of this.pictures) picture.destroy();
    this.node.destroy();
    for (const material of this.materials) material.destroy();
    this.surroundings.stage.invalidate();
  }
}
