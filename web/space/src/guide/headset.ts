// Annotations and tours for visitors with a headset, who see nothing of the page: markers and a panel in
// the scene. Nothing flies: a tour goes on when the visitor asks for it, with a cut.

import { Entity, LAYERID_UI, Vec3 } from 'playcanvas';
import { Picture, loadImage } from '../scene/picture.ts';
import type { Stage } from '../scene/stage.ts';
import type { Target } from '../scene/thing.ts';
import type { Annotation } from './annotation.ts';
import type { GuideMessages } from './messages.ts';
import { buttonPlace, drawMarker, drawPanel, panelSize, plainText } from './headsetpanel.ts';
import type { Halt } from './tour.ts';
import type { Viewpoint } from './viewpoint.ts';

/** The width of a marker for each metre of its distance, and its limits in metres. */
const [markerShare, smallest, largest] = [0.06, 0.06, 1.2];
/** Where the panel is: metres before the visitor, degrees beside what it is about, metres below the eye. */
const [ahead, aside, below] = [1.2, 24, 0.1];
/** A visitor who is farther from the panel than this gets it again. */
const astray = 3;

export interface TitledAnnotation extends Annotation {
  title: string;
}

export interface HeadsetTour {
  id: string;
  name: string;
  loop: boolean;
  halts: readonly Halt[];
}

export interface HeadsetGuideOptions {
  scene: HTMLElement;
  stage: Stage;
  messages: GuideMessages;
  mayLoad(address: string): boolean;
  /** Puts the visitor at a view, at once. */
  move(view: Viewpoint): void;
  /** Lets a sound be heard instead of the one before; an empty address is silence. */
  narrate(address: string): void;
  tell(name: string, detail: unknown): void;
  /** Returns the tour that visitors are offered; null for none. */
  tour(): HeadsetTour | null;
}

/** What the panel shows. */
interface Page {
  title: string;
  text: string;
  image: string;
  count: string;
  /** What the page is about; null for what is ahead. */
  place: Vec3 | null;
  buttons: readonly (readonly [label: string, press: () => void])[];
}

interface Marker {
  node: Entity;
  picture: Picture;
  target: Target;
}

export class HeadsetGuide {
  private readonly options: HeadsetGuideOptions;
  private annotations: readonly TitledAnnotation[] = [];
  private markers: readonly Marker[] = [];
  private summary = '';
  private opened: string | null = null;
  private running: { tour: HeadsetTour; at: number } | null = null;
  private page: Page | null = null;
  private readonly panel: Entity;
  private picture: Picture | null = null;
  private panelTargets: readonly Target[] = [];

  constructor(options: HeadsetGuideOptions) {
    this.options = options;
    this.panel = options.stage.node('annotation');
    options.stage.app.on('update', this.update, this);
    const tour = options.tour();
    if (tour) this.offer(tour);
  }

  get targets(): readonly Target[] {
    return [...this.panelTargets, ...this.markers.map(({ target }) => target)];
  }

  get isOpen(): boolean {
    return this.page !== null;
  }

  /** Shows what there is in the space now. */
  show(annotations: readonly TitledAnnotation[]): void {
    this.annotations = annotations;
    const summary = JSON.stringify([this.opened, annotations.map(({ id, position }) => [id, position])]);
    if (summary !== this.summary) {
      this.summary = summary;
      this.removeMarkers();
      this.markers = annotations.map((one, i) => this.marker(one, i + 1));
    }
    if (this.opened !== null && !this.running && !annotations.some(({ id }) => id === this.opened)) this.close();
  }

  private marker({ id, position }: TitledAnnotation, number: number): Marker {
    const { stage } = this.options;
    const picture = new Picture(stage, drawMarker(String(number), id === this.opened));
    const node = stage.node('marker');
    node.setPosition(...position);
    node.addChild(onTop(picture, 1));
    return { node, picture, target: { node, width: 1, height: 1, isOnTop: true, activate: () => this.press(id) } };
  }

  private press(id: string): void {
    if (this.opened === id) this.close();
    else this.open(id);
  }

  /** Opens an annotation, beside its place. */
  open(id: string): void {
    this.endTour();
    this.turnTo(id);
    this.place();
  }

  /** Opens an annotation where the panel is. */
  private turnTo(id: string): void {
    const index = this.annotations.findIndex((one) => one.id === id);
    const annotation = this.annotations[index];
    if (!annotation) return;
    const { messages, tell } = this.options;
    const count = this.annotations.length;
    const tour = this.options.tour();
    this.fill('', annotation, annotation.title, annotation.text, '', {
      count: count > 1 ? messages('count', { number: String(index + 1), count: String(count) }) : '',
      place: new Vec3(...annotation.position),
      buttons: [
        ...this.steps(count > 1, count > 1),
        ...(tour ? [[messages('tour'), () => this.play(tour)] as const] : []),
        [messages('close'), () => this.close()],
      ],
    });
    tell('annotation', id);
  }

  private steps(back: boolean, on: boolean): Page['buttons'] {
    const { messages } = this.options;
    return [
      ...(back ? [[messages('previous'), () => this.step(-1)] as const] : []),
      ...(on ? [[messages('next'), () => this.step(1)] as const] : []),
    ];
  }

  /** Shows the next or the previous stop of the tour, or else annotation. */
  step(by: 1 | -1): void {
    const count = this.annotations.length;
    if (this.running) {
      this.halt(this.running.tour, this.running.at + by);
      return;
    }
    const index = this.annotations.findIndex(({ id }) => id === this.opened);
    const next = this.annotations[(index + by + count) % count];
    if (next) this.turnTo(next.id);
  }

  private offer(tour: HeadsetTour): void {
    const { messages } = this.options;
    this.fill(tour.id, null, tour.name, '', '', {
      count: '',
      place: null,
      buttons: [
        [messages('play'), () => this.play(tour)],
        [messages('close'), () => this.close()],
      ],
    });
    this.place();
  }

  play(tour: HeadsetTour): void {
    this.endTour();
    this.halt(tour, 0);
  }

  private halt(tour: HeadsetTour, to: number): void {
    const stops = tour.halts.length;
    const at = tour.loop ? (to + stops) % stops : Math.max(0, Math.min(stops - 1, to));
    const { stop, view } = tour.halts[at]!;
    const { messages, move, tell } = this.options;
    const annotation = this.annotations.find(({ id }) => id === stop.annotation) ?? null;
    this.running = { tour, at };
    move(view);
    this.fill(tour.id, annotation, stop.title || (annotation?.title ?? tour.name), stop.text || (annotation?.text ?? ''), stop.sound, {
      count: messages('count', { number: String(at + 1), count: String(stops) }),
      place: new Vec3(...view.target),
      buttons: [...this.steps(tour.loop || at > 0, tour.loop || at < stops - 1), [messages('end'), () => this.close()]],
    });
    this.place();
    tell('tour', { entityId: tour.id, stop: at, stops });
    if (annotation) tell('annotation', annotation.id);
  }

  private endTour(): void {
    if (!this.running) return;
    const { tour } = this.running;
    this.running = null;
    this.options.tell('tour', { entityId: tour.id, stop: null, stops: tour.halts.length });
  }

  private fill(
    tour: string,
    annotation: TitledAnnotation | null,
    title: string,
    text: string,
    sound: string,
    rest: Pick<Page, 'count' | 'place' | 'buttons'>,
  ): void {
    const { mayLoad, narrate, scene } = this.options;
    const media = (kind: string): string => annotation?.media.find((one) => one.kind === kind && mayLoad(one.address))?.address ?? '';
    narrate(sound || media('sound'));
    this.opened = annotation?.id ?? null;
    scene.dataset['inHeadset'] = annotation?.id ?? tour;
    this.page = { title, text, image: media('image'), ...rest };
    this.panelTargets = this.buildTargets(this.page);
    this.show(this.annotations);
    void this.load(this.page);
  }

  /** Draws the page at once, and again with what has to be loaded. */
  private async load(page: Page): Promise<void> {
    this.draw(page, '', null);
    const text = await plainText(page.text);
    this.draw(page, text, null);
    const image = page.image ? await loadImage(page.image).catch(() => null) : null;
    if (image) this.draw(page, text, image);
  }

  private draw(page: Page, text: string, image: ImageBitmap | null): void {
    if (page !== this.page) return;
    this.picture?.destroy();
    const labels = page.buttons.map(([label]) => label);
    this.picture = new Picture(this.options.stage, drawPanel({ ...page, text, image, labels }));
    this.picture.resize(...panelSize);
    this.panel.addChild(onTop(this.picture, 2));
  }

  private buildTargets(page: Page): Target[] {
    for (const { node } of this.panelTargets) if (node !== this.panel) node.destroy();
    const buttons = page.buttons.map(([, activate], i): Target => {
      const node = new Entity('button', this.options.stage.app);
      const { x, y, width, height } = buttonPlace(i, page.buttons.length);
      node.setLocalPosition(x, y, 0.01); // before the panel
      this.panel.addChild(node);
      return { node, width, height, isOnTop: true, activate };
    });
    // A press beside the buttons moves nobody.
    const [width, height] = panelSize;
    return [...buttons, { node: this.panel, width, height, isOnTop: true, activate: () => {} }];
  }

  /** Puts the panel before the visitor, beside what it is about. */
  private place(): void {
    if (!this.page) return;
    const { camera } = this.options.stage;
    const head = camera.getPosition().clone();
    const way = this.page.place ? this.page.place.clone().sub(head) : camera.forward.clone();
    if (Math.hypot(way.x, way.z) < 0.1) way.copy(camera.forward);
    const angle = Math.atan2(way.x, -way.z) + (this.page.place ? (aside * Math.PI) / 180 : 0);
    const at = new Vec3(head.x + Math.sin(angle) * ahead, head.y - below, head.z - Math.cos(angle) * ahead);
    this.panel.setPosition(at);
    faceTo(this.panel, head);
  }

  /** Closes what is open, and ends the tour. */
  close(): void {
    this.endTour();
    this.options.narrate('');
    this.opened = this.page = null;
    delete this.options.scene.dataset['inHeadset'];
    for (const { node } of this.panelTargets) if (node !== this.panel) node.destroy();
    this.panelTargets = [];
    this.picture?.destroy();
    this.picture = null;
    this.show(this.annotations);
  }

  private update(): void {
    const head = this.options.stage.camera.getPosition();
    for (const { node } of this.markers) {
      const width = Math.max(smallest, Math.min(largest, node.getPosition().distance(head) * markerShare));
      node.setLocalScale(width, width, width);
      faceTo(node, head);
    }
    if (this.page && this.panel.getPosition().distance(head) > astray) this.place();
  }

  private removeMarkers(): void {
    for (const { node, picture } of this.markers) {
      picture.destroy();
      node.destroy();
    }
    this.markers = [];
  }

  destroy(): void {
    this.options.stage.app.off('update', this.update, this);
    this.close();
    this.removeMarkers();
    this.panel.destroy();
  }
}

/** Draws a picture over everything in the space; a higher order is over a lower one. */
function onTop({ node }: Picture, order: number): Entity {
  const { render } = node;
  render!.layers = [LAYERID_UI];
  for (const mesh of render!.meshInstances) {
    mesh.drawOrder = order;
    const material = mesh.material!;
    material.depthTest = material.depthWrite = false;
    material.update();
  }
  return node;
}

/** Turns the +z of a node to a place. */
function faceTo(node: Entity, place: Vec3): void {
  node.lookAt(node.getPosition().clone().mulScalar(2).sub(place));
}
