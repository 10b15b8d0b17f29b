// Lets the page around a frame show views, annotations, tours and looks of a space, and tells it what
// happens there. Only spaces in frames load this.
//
// It can do what a visitor can, in this frame only: a page at /embed/ never acts for an account.

import type { Answer, Event, Ready, Titled, ViewState } from '../../../client/src/messages.ts';
import { isHidden, nameOf } from '../entity.ts';
import type { Guide } from '../guide/guide.ts';
import type { Item } from '../scene/item.ts';
import type { Stage } from '../scene/stage.ts';
import type { Data, SpaceRow } from '../server/space.ts';
import { readView, viewFragment } from '../view.ts';
import type { Mode, View } from '../view.ts';
import './embed.css';
import { isForUs, readRequest, version } from './message.ts';
import type { Request } from './message.ts';

/** The time between two messages about a view that changes, in milliseconds. */
const viewInterval = 100;

export interface EmbedOptions {
  scene: HTMLElement;
  stage: Stage;
  space: SpaceRow;
  items(): readonly Item[];
  eye(): View;
  modes(): readonly Mode[];
  show(view: View): void;
  setMode(mode: Mode): void;
  setLook(data: Data): Promise<void>;
  listen(on: boolean): void;
  /** Null where nothing guides visitors. */
  guide(): Promise<Guide | null>;
  /** Resolves when the first picture is shown. */
  revealed: Promise<void>;
}

export class Embed {
  private readonly options: EmbedOptions;
  private readonly ended = new AbortController();
  /** Where the page around the frame is from; null before it has said hello. */
  private host: string | null = null;
  private watchView = false;
  /** The mode that the page around the frame knows of; null before it is ready. */
  private mode: Mode | null = null;
  private view = '';
  private sentAt = 0;

  constructor(options: EmbedOptions) {
    this.options = options;
    const { scene, stage } = options;
    const asked = new URLSearchParams(location.search);
    if (asked.get('ui') === '0') document.documentElement.classList.add('no-ui');
    const start = asked.get('start');
    if (start && !location.hash.startsWith('#view=')) void this.start(start);
    const { signal } = this.ended;
    window.addEventListener('message', (event) => void this.receive(event), { signal });
    for (const type of ['annotation', 'tour', 'marker', 'visitors'] as const) {
      scene.addEventListener(`portico:${type}`, (event) => this.send({ type, detail: (event as CustomEvent<unknown>).detail }), { signal });
    }
    stage.app.on('update', this.update, this);
    // A page that was there first says hello when it learns that the frame listens.
    const listening: Event = { type: 'listening' };
    if (window.parent !== window) window.parent.postMessage({ portico: version, ...listening }, '*');
  }

  /** Starts with a view, an annotation, a tour or a path. */
  private async start(what: string): Promise<void> {
    const view = readView(`#view=${what}`);
    if (view) this.options.show(view);
    else await this.open(what);
  }

  private async receive({ data, source, origin }: MessageEvent<unknown>): Promise<void> {
    if (source !== window.parent || window.parent === window || !isForUs(data)) return;
    const { id } = data;
    try {
      const request = readRequest(data);
      // The origin of a frame without one is the text null, to which nobody can send.
      if (request.type === 'hello') this.host = origin === 'null' ? '*' : origin;
      const answer = await this.answer(request);
      this.send({ ...answer, id });
      this.tellMode(); // two requests may come between two frames
    } catch (error) {
      this.send({ type: 'error', id, message: error instanceof Error ? error.message : String(error) });
    }
  }

  private async answer(request: Request): Promise<Answer> {
    const { options } = this;
    switch (request.type) {
      case 'hello':
        this.watchView = request.watchView;
        await options.revealed;
        return { type: 'ready', ...this.ready() };
      case 'getView':
        return { type: 'view', ...this.describeView() };
      case 'setView':
        options.show(request.view);
        break;
      case 'setMode':
        if (!options.modes().includes(request.mode)) throw new Error(`mode must be one of ${options.modes().join(', ')}`);
        options.setMode(request.mode);
        break;
      case 'setLook':
        await options.setLook(request.data);
        break;
      case 'setSound':
        options.listen(request.on);
        break;
      case 'open':
        if (!(await this.open(request.entityId))) throw new Error('there is no such annotation, tour or path');
        break;
      case 'step':
      case 'pause':
      case 'close': {
        const guide = await options.guide();
        if (request.type === 'step') guide?.move(request.by);
        else guide?.[request.type]();
      }
    }
    return { type: 'done' };
  }

  private async open(entityId: string): Promise<boolean> {
    await this.options.revealed;
    return (await this.options.guide())?.open(entityId) ?? false;
  }

  /** What the page around the frame can choose from. */
  private ready(): Ready {
    const { space, items, modes } = this.options;
    // From here on it learns of each change, though no frame is drawn before the first one.
    this.mode = this.options.eye().mode;
    const shown = items().filter(({ entity }) => !isHidden(entity));
    const list = (kind: Item['kind']): Titled[] =>
      shown.filter((item) => item.kind === kind).map(({ entity }) => ({ entityId: entity.entityId, title: nameOf(entity) }));
    return {
      spaceId: space.spaceId,
      title: space.title,
      modes: [...modes()],
      annotations: list('annotation'),
      tours: list('tour'),
      paths: list('path'),
      ...this.describeView(),
    };
  }

  private describeView(): ViewState {
    const eye = this.options.eye();
    return { view: viewFragment(eye).replace('#view=', ''), position: eye.eye, yaw: eye.yaw, pitch: eye.pitch, mode: eye.mode };
  }

  private tellMode(): void {
    const { mode } = this.options.eye();
    if (this.mode === null || mode === this.mode) return;
    this.mode = mode;
    this.send({ type: 'mode', mode });
  }

  private update(): void {
    if (this.host === null) return;
    this.tellMode();
    const now = performance.now();
    if (!this.watchView || now - this.sentAt < viewInterval) return;
    const { view, ...rest } = this.describeView();
    if (view === this.view) return;
    this.view = view;
    this.sentAt = now;
    this.send({ type: 'view', view, ...rest });
  }

  /** Sends a message to the page around the frame, once it has said hello. */
  private send(message: Event | (Answer & { id: unknown })): void {
    if (this.host !== null) window.parent.postMessage({ portico: version, ...message }, this.host);
  }

  destroy(): void {
    this.ended.abort();
    this.options.stage.app.off('update', this.update, this);
  }
}
