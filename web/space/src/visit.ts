// A visit to a space: the scene, the visitor's movement and the controls together.

import { mayLoad } from './address.ts';
import { guiding, isHidden, text } from './entity.ts';
import { fieldOfViewOf, hasLook, movementOf } from './room.ts';
import type { Movement } from './room.ts';
import type { BorderLine } from './look/border.ts';
import type { LookView } from './look/look.ts';
import { firstView, foundUp, hasDoubtfulScale, hasRoom, isUpright, overview, overviewOfAll, subjectOf } from './firstview.ts';
import { readDropped } from './edit/dropped.ts';
import type { Dropped } from './edit/dropped.ts';
import type { Editor } from './edit/editor.ts';
import type { Embed } from './embed/embed.ts';
import { loadEditor } from './edit/load.ts';
import { turnUpright } from './upright.ts';
import { GateCrossing } from './gatecrossing.ts';
import type { Guide } from './guide/guide.ts';
import { detectHeadset } from './headset/detect.ts';
import type { Headset } from './headset/headset.ts';
import type { Messages } from './i18n.ts';
import type { Measure } from './measure/measure.ts';
import { Controls, lookAt } from './move/controls.ts';
import { Input } from './move/input.ts';
import type { Solid } from './move/solid.ts';
import { GateNavigation } from './gatenavigation.ts';
import { Pointer } from './pointer.ts';
import { remember, remembered } from './remembered.ts';
import type { Quality } from './quality.ts';
import { sceneBounds } from './scene/bounds.ts';
import { VisitorFigures } from './scene/figures.ts';
import { Hub } from './scene/hub.ts';
import type { Item } from './scene/item.ts';
import { Stage } from './scene/stage.ts';
import type { Surroundings, Target } from './scene/thing.ts';
import { World } from './scene/world.ts';
import type { Data, EntityRow, Space, SpaceRow } from './server/space.ts';
import { loadEntity } from './server/space.ts';
import { Contents, explain } from './ui/contents.ts';
import { copyText } from './ui/share.ts';
import type { EmptyActions, Overlay } from './ui/overlay.ts';
import { readView, viewFragment } from './view.ts';
import type { Mode, View } from './view.ts';

/** How long the first picture waits for the look, in milliseconds. */
const maxLookWait = 5000;

const allModes: readonly Mode[] = ['walk', 'fly', 'orbit'];

export class Visit {
  /** The other visitors. */
  readonly figures: VisitorFigures;
  private readonly scene: HTMLElement;
  private readonly overlay: Overlay;
  private readonly messages: Messages;
  private readonly stage: Stage;
  private readonly world: World;
  private readonly input: Input;
  private readonly controls: Controls;
  private readonly contents: Contents;
  private readonly navigation: GateNavigation;
  private readonly surroundings: Surroundings;
  private hub: Hub | null;
  private readonly space: Space;
  private readonly ended = new AbortController();
  private readonly crossing: GateCrossing;
  private readonly pointer: Pointer;
  /** Called at each change of the world. */
  private wakeReveal = (): void => {};
  private initialView: View | null;
  /** Whether the first view is a guess: the start of a capture may still arrive. */
  private provisional: boolean;
  /** The view that the page has shown last by itself. */
  private shown = lookAt('orbit', [3, 3, 6], [0, 0.5, 0]);
  /** Walk as soon as there is a ground. */
  private walkSoon = false;
  /** The files of a streamed capture could not be loaded. */
  private streamFailed = false;
  /** What the owner of an empty space can do; null for visitors. */
  private emptyActions: EmptyActions | null = null;
  private editor: Editor | null = null;
  private headset: Headset | null = null;
  private embed: Embed | null = null;
  private guide: Guide | null = null;
  private guiding: Promise<Guide | null> | null = null;
  private readonly revealed: Promise<void> | undefined;
  private movement: Movement;
  private look: LookView | null = null;
  private measure: Measure | null = null;
  private measuring: Promise<Measure | null> | null = null;
  private borderLine: BorderLine | null = null;
  private lookLoading: Promise<LookView | null> | null = null;
  /** Whether the visitor has switched the sound on. */
  private listening = false;

  /** Starts a visit. It throws where the browser cannot draw the scene. */
  static async start(scene: HTMLElement, overlay: Overlay, messages: Messages, space: Space): Promise<Visit> {
    const asked = new URLSearchParams(location.search);
    const stage = await Stage.create(overlay.canvas, asked.has('webgpu') && !asked.has('webgl'));
    return new Visit(scene, overlay, messages, stage, space);
  }

  private constructor(scene: HTMLElement, overlay: Overlay, messages: Messages, stage: Stage, space: Space) {
    this.scene = scene;
    this.overlay = overlay;
    this.messages = messages;
    this.stage = stage;
    this.space = space;
    this.movement = movementOf(space.room.data);
    this.navigation = new GateNavigation(scene, messages, space.space);
    this.surroundings = {
      stage,
      messages,
      reducedMotion: matchMedia('(prefers-reduced-motion: reduce)').matches,
      mayLoad: (address) => mayLoad(scene, address),
      plugins: {
        frame: scene.dataset['plugins'] ?? '',
        allowed: space.space.runsPlugins,
        panels: overlay.plugins,
        space: { id: space.space.spaceId, title: space.space.title },
        language: scene.dataset['language'] ?? 'en',
      },
    };
    this.figures = new VisitorFigures(stage, messages, this.surroundings.reducedMotion);
    this.hub = hasRoom(space) ? new Hub(stage) : null;
    this.world = new World(this.surroundings, {
      changed: () => this.showItems(),
      groundChanged: () => this.adaptMode(),
      openGate: (gate) => this.crossing.open(gate),
      reload: async (entityId) => {
        if (scene.dataset['local']) return null; // there is no server that prepares it
        const entity = await loadEntity(space.space.id, entityId);
        return entity && this.editor ? this.editor.receive(entity) : entity;
      },
    });
    this.contents = new Contents(overlay.contents, messages, {
      visit: (entityId) => this.lookAt(entityId),
      guides: true,
      spaceAddress: (spaceId) => this.navigation.address(spaceId),
    });
    const isFramed = scene.dataset['embed'] === 'true' && !scene.dataset['local'];
    this.input = new Input(overlay.canvas, isFramed);
    this.controls = new Controls(stage, this.input, () => this.solids());
    this.controls.onMode = (mode) => this.overlay.showMode(mode, this.modes);
    this.controls.limit(this.movement, false);
    this.crossing = new GateCrossing({
      surroundings: this.surroundings,
      navigation: this.navigation,
      controls: this.controls,
      things: () => this.world.items.map((item) => item.thing),
      editing: () => this.editor?.active ?? false,
      leaveHeadset: () => this.headset?.end(),
      offerBack: (title, address) => overlay.offerBack(title, address),
    });
    this.pointer = new Pointer({
      stage,
      controls: this.controls,
      canvas: overlay.canvas,
      solids: () => this.solids(),
      targets: () => this.targets(),
      tool: () => this.measure,
      editor: () => this.editor,
    });
    this.input.onClick = (x, y) => this.pointer.click(x, y);
    this.initialView = firstView(space);
    const subject = subjectOf(space);
    if (subject) stage.frame(subject);
    this.provisional = !this.initialView;
    stage.onProgress = (address, share) => overlay.progress.report(new URL(address, location.href).href, share);
    stage.onStreamFailure = () => {
      this.streamFailed = true;
      this.showProblems();
    };
    this.enter();
    const looked = this.showRoom(space.room);
    this.world.replace(space.entities);
    this.showProblems(); // of a space that is empty
    stage.app.on('update', () => this.crossing.update());
    stage.app.graphicsDevice.on('devicelost', () => overlay.say(messages('lost')));
    window.addEventListener('hashchange', () => this.follow(readView(location.hash)), { signal: this.ended.signal });
    overlay.canvas.addEventListener('pointermove', (event) => this.pointer.hover(event), { signal: this.ended.signal });
    void detectHeadset(this.ended.signal).then(() => this.offerHeadset());
    this.revealed = this.reveal(looked);
    this.offerMeasure();
    if (isFramed) void this.talk(this.revealed);
  }

  /** Shows the view of the address, or else the initial view. */
  private enter(): void {
    this.shown = this.initialView ?? this.shown;
    this.crossing.arrive(this.shown);
    this.follow(readView(location.hash) ?? this.shown);
  }

  private follow(view: View | null): void {
    if (!view) return;
    const mode = this.permitted(view.mode);
    this.walkSoon = mode === 'walk' && this.solids().length === 0;
    // Without a ground a walker would fall.
    this.controls.show({ ...view, mode: this.walkSoon ? 'fly' : mode });
  }

  /** The modes that the visitor may choose now. */
  private get modes(): readonly Mode[] {
    const walkable = this.solids().length > 0;
    const able = allModes.filter((mode) => mode !== 'walk' || walkable);
    const allowed = able.filter((mode) => this.isEditing || (this.movement.modes?.includes(mode) ?? true));
    return allowed.length > 0 ? allowed : able.slice(-1);
  }

  /** Returns a mode, or another where visitors may not use it. */
  private permitted(mode: Mode): Mode {
    const { modes } = this.movement;
    if (this.isEditing || !modes || modes.includes(mode)) return mode;
    return this.modes.includes(mode) ? mode : (modes.find((one) => one === 'walk') ?? this.modes[0]!);
  }

  private get isEditing(): boolean {
    return this.editor?.active ?? false;
  }

  /** Shows settings of the space, and resolves when what they load is there. */
  private showRoom(room: EntityRow): Promise<void> {
    const before = this.space.room;
    this.space.room = room;
    const { data } = room;
    this.stage.setFieldOfView(fieldOfViewOf(data, NaN) || null);
    this.movement = movementOf(data);
    if (room !== before) {
      if (hasRoom(this.space) !== (this.hub !== null)) this.rebuildHub();
      this.limit();
    }
    this.offerSound();
    this.offerMeasure();
    this.showBorder();
    this.scene.dispatchEvent(new CustomEvent('portico:room'));
    if (!this.lookLoading && !hasLook(data)) return Promise.resolve();
    return this.loadLook().then((look) => look?.apply(this.space.room.data));
  }

  private limit(): void {
    this.controls.limit(this.movement, this.isEditing);
    const { mode } = this.controls.current;
    const now = this.permitted(mode);
    if (now !== mode) this.setMode(now);
    else this.overlay.showMode(mode, this.modes);
  }

  private rebuildHub(): void {
    this.hub?.destroy();
    this.hub = hasRoom(this.space) ? new Hub(this.stage) : null;
    this.adaptMode();
  }

  /** Loads what shows a look, once; null where that fails. */
  private loadLook(): Promise<LookView | null> {
    this.lookLoading ??= import('./look/look.ts').then(
      ({ LookView }) => {
        const { stage, surroundings } = this;
        if (this.ended.signal.aborted) return null;
        this.look = new LookView({ stage, mayLoad: (address) => surroundings.mayLoad(address) });
        this.look.listen(this.listening);
        return this.look;
      },
      (error: unknown) => {
        console.warn('The look of the space cannot be shown:', error);
        return null;
      },
    );
    return this.lookLoading;
  }

  /** Draws the border on the floor, where the owner does not hide it. */
  private showBorder(): void {
    const { border, isBorderShown } = this.movement;
    const corners = isBorderShown ? border : [];
    if (corners.length === 0 || this.borderLine) {
      this.borderLine?.show(corners);
      return;
    }
    import('./look/border.ts').then(
      ({ BorderLine }) => {
        if (this.ended.signal.aborted || this.borderLine) return;
        this.borderLine = new BorderLine(this.stage);
        this.showBorder();
      },
      () => {}, // it is not left, whether it is seen or not
    );
  }

  /** Whether the visitor may measure: the owner may, unless another site could trick the owner into clicks. */
  private get mayMeasure(): boolean {
    const { space, room } = this.space;
    return this.isOwner || room.data['allowMeasure'] === true || space.viewerShareLink?.allowsMeasuring === true;
  }

  private get isOwner(): boolean {
    return this.space.space.viewerIsOwner && this.scene.dataset['embed'] !== 'true';
  }

  /** Offers the tool that measures, which is loaded after the first picture. */
  private offerMeasure(): void {
    this.measure?.offer(this.mayMeasure);
    if (this.mayMeasure && !this.measuring) void this.revealed?.then(() => this.loadMeasure());
  }

  /** Loads what measures, once; null where that fails. */
  private loadMeasure(): Promise<Measure | null> {
    this.measuring ??= this.createMeasure().catch((error: unknown) => {
      console.warn('Measurements cannot be shown:', error);
      return null;
    });
    return this.measuring;
  }

  private async createMeasure(): Promise<Measure | null> {
    const { Measure } = await import('./measure/measure.ts');
    const { scene, overlay, stage, space, isOwner } = this;
    const measure = await Measure.create({
      ...{ scene, overlay, stage, spaceId: space.space.id, isOwner, unit: remembered('unit') },
      rememberUnit: (unit) => remember('unit', unit),
      solids: () => this.solids(),
      put: (entity) => this.put(entity),
      remove: (entityId) => this.remove(entityId),
    });
    if (this.ended.signal.aborted) {
      measure.destroy();
      return null;
    }
    this.measure = measure;
    measure.offer(this.mayMeasure);
    measure.show(this.world.items);
    return measure;
  }

  private offerSound(): void {
    const ambient = text(this.space.room.data, 'introSoundURL');
    const isHeard = ambient !== '' && this.surroundings.mayLoad(ambient);
    this.overlay.offerSound(this.world.sounds.length > 0 || isHeard);
  }

  /** Removes the poster when the first picture is complete. */
  private async reveal(looked: Promise<void>): Promise<void> {
    // A picture of the sky that does not come must not keep the space from visitors.
    const patience = new Promise((resolve) => setTimeout(resolve, maxLookWait));
    await Promise.all([Promise.race([looked.catch(() => {}), patience]), Promise.race([this.stage.splatsShown, this.withoutCaptures()])]);
    this.overlay.ready();
  }

  /** Returns when everything is loaded and drawn, and no capture is among it. */
  private async withoutCaptures(): Promise<void> {
    while (!this.complete)
      await new Promise<void>((resolve) => {
        this.wakeReveal = resolve;
      });
    await this.stage.drawFrame();
    await this.stage.drawFrame();
  }

  /**
   * Whether there is nothing to wait for. If there is nothing else to see, the poster is shown while captures are
   * prepared, and where nothing can be shown.
   */
  private get complete(): boolean {
    const { items, loading, captures, preparing } = this.world;
    const awaited = preparing.length > 0 || this.failed.length > 0;
    return !loading && captures.length === 0 && (!awaited || this.hub !== null || items.some((item) => item.thing));
  }

  /** What cannot be shown. */
  private get failed(): readonly Item[] {
    return this.world.items.filter(({ state, entity }) => state === 'failed' && !isHidden(entity));
  }

  /** Shows how far the server has prepared captures. */
  private showPreparing(): void {
    const steps = this.world.preparing.flatMap((item) => item.entity.file?.preparation ?? []);
    const done = steps.filter((step) => step.state !== 'PENDING').length;
    const count = { done: String(done), steps: String(steps.length) };
    const percent = Math.floor((100 * done) / Math.max(1, steps.length));
    this.overlay.showPreparing(this.world.preparing.length > 0 ? this.messages('preparingCapture', count) : '', percent);
  }

  /** Says why the view is empty, where nothing of the space can be shown. */
  private showProblems(): void {
    const {
      overlay,
      messages,
      world: { items },
    } = this;
    const seen = items.some(({ thing, state }) => (thing && !this.streamFailed) || state === 'loading' || state === 'preparing');
    const reasons = seen ? [] : this.failed.flatMap(({ reason }) => (reason ? [reason] : []));
    if (this.streamFailed) reasons.push({ key: 'becauseLoad', detail: '' });
    if (!this.hub && items.every(({ kind }) => kind === 'spawn')) {
      overlay.showEmpty(this.emptyActions);
      return;
    }
    const canRetry = reasons.some(({ key }) => key === 'becauseLoad');
    overlay.showProblems(
      reasons.map((reason) => explain(messages, reason)),
      canRetry ? () => this.loadAgain() : undefined,
    );
  }

  private loadAgain(): void {
    const withCaptures = this.streamFailed;
    this.streamFailed = false;
    void this.world.loadAgain(withCaptures);
  }

  private solids(): readonly Solid[] {
    return this.hub ? [this.hub.solid, ...this.world.solids] : this.world.solids;
  }

  private targets(): readonly Target[] {
    return [...this.world.targets, ...this.crossing.targets, ...(this.guide?.targets ?? [])];
  }

  private showItems(): void {
    const { items } = this.world;
    this.wakeReveal();
    this.contents.show(items);
    this.showPreparing();
    this.editor?.refresh();
    if (items.some(({ kind }) => guiding.includes(kind))) void this.loadGuide();
    this.guide?.show(items);
    if (items.some(({ kind }) => kind === 'measurement')) void this.loadMeasure();
    this.measure?.show(items);
    this.offerSound();
    this.showProblems();
    const poster = items.find((item) => item.kind === 'capture' && item.entity.file?.posterUrl)?.entity.file?.posterUrl;
    if (poster) this.overlay.showPoster(poster);
    this.findInitialView();
  }

  /** Shows the initial view, when it becomes known, to visitors who have not moved. */
  private findInitialView(): void {
    if (!this.provisional) return;
    const { items, loading } = this.world;
    const start = firstView({ ...this.space, entities: items.map((item) => item.entity) });
    const view = start ?? (this.initialView || loading ? null : overviewOfAll(items, this.scene, this.stage.fieldOfView));
    if (!view) return;
    [this.initialView, this.provisional] = [view, !start];
    this.crossing.arrive(view);
    const hasMoved = viewFragment(this.eye) !== viewFragment(this.shown);
    if (hasMoved || readView(location.hash) || this.editor?.active) return;
    this.shown = view;
    this.follow(view);
  }

  private adaptMode(): void {
    const walkable = this.solids().length > 0;
    const { mode } = this.controls.current;
    if (walkable && this.walkSoon) {
      this.walkSoon = false;
      this.controls.setMode('walk');
    } else if (!walkable && mode === 'walk') {
      this.controls.setMode('fly');
    } else {
      this.overlay.showMode(mode, this.modes);
    }
    this.stage.invalidate();
  }

  /** Moves the view in front of an entity. */
  private lookAt(entityId: string): void {
    if (this.guide?.open(entityId)) return;
    const node = this.world.nodeOf(entityId);
    const bounds = node && sceneBounds([node]);
    if (!bounds) return;
    this.controls.show(overview(bounds, this.scene, this.stage.fieldOfView));
    this.overlay.canvas.focus({ preventScroll: true });
  }

  /** Lets the owner add files without a further step: by dropping them, or by choosing them for an empty space. */
  acceptFiles(): void {
    const {
      scene,
      ended: { signal },
    } = this;
    const add = async (act: (editor: Editor) => void): Promise<void> => {
      const editor = await this.loadEditor();
      if (!editor.active) await this.toggleEdit();
      act(editor);
    };
    const fail = (): void => this.overlay.say(this.messages('loadFailed'));
    this.emptyActions = {
      choose: () => {
        add((editor) => editor.drop.choose()).catch(fail);
      },
    };
    this.overlay.showProblems([]);
    this.showProblems();
    scene.addEventListener(
      'dragover',
      (event) => {
        if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
      },
      { signal },
    );
    scene.addEventListener(
      'drop',
      (event) => {
        if (this.editor?.active || !event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        const dropped: Dropped = readDropped(event.dataTransfer);
        add((editor) => editor.drop.take(dropped, event.clientX, event.clientY)).catch(fail);
      },
      { signal },
    );
  }

  /** Starts or stops editing. Only owners need the editor. */
  async toggleEdit(): Promise<void> {
    const editor = await this.loadEditor();
    this.overlay.showEditing(editor.toggle());
    this.limit();
  }

  private async loadEditor(): Promise<Editor> {
    const { scene, overlay, stage, world, input, contents, figures, space } = this;
    this.editor ??= await loadEditor({
      scene,
      overlay,
      stage,
      world,
      input,
      contents,
      figures,
      space: space.space,
      name: (item) => contents.name(item),
      messages: this.messages,
      solids: () => this.solids(),
      look: (entityId) => this.lookAt(entityId),
      room: () => this.space.room,
      showRoom: (room) => void this.showRoom(room),
      eye: () => this.eye,
      startAt: (start) => this.startAt(start),
      guide: () => this.loadGuide(),
    });
    return this.editor;
  }

  /** Makes a start, as the data of RoomInfo has it, the first view. */
  private startAt(start: Data): void {
    this.space.room = { ...this.space.room, data: { ...this.space.room.data, start } };
    this.initialView = firstView(this.space);
    this.provisional = false;
  }

  /** Loads what guides visitors, once; null where that fails. */
  private loadGuide(): Promise<Guide | null> {
    this.guiding ??= this.createGuide().catch((error: unknown) => {
      console.warn('Annotations and tours cannot be shown:', error);
      return null;
    });
    return this.guiding;
  }

  private async createGuide(): Promise<Guide | null> {
    const { Guide } = await import('./guide/guide.ts');
    const { scene, overlay, stage, controls, world, surroundings } = this;
    const guide = await Guide.create({
      ...{ scene, overlay, stage, controls, world, reducedMotion: surroundings.reducedMotion },
      mayLoad: (address) => surroundings.mayLoad(address),
      solids: () => this.solids(),
      editor: () => this.editor,
      putAt: (view) => this.headset?.show(view),
    });
    if (this.ended.signal.aborted) {
      guide.destroy();
      return null;
    }
    this.guide = guide;
    guide.show(world.items);
    void this.revealed?.then(() => guide.begin());
    return guide;
  }

  /** Lets the page around the frame talk to the space. */
  private async talk(revealed: Promise<void>): Promise<void> {
    const { Embed } = await import('./embed/embed.ts');
    if (this.ended.signal.aborted) return;
    const { scene, stage, world } = this;
    this.embed = new Embed({
      ...{ scene, stage, space: this.row, revealed },
      items: () => world.items,
      eye: () => this.eye,
      modes: () => this.modes,
      show: (view) => this.follow(view),
      setMode: (mode) => this.setMode(mode),
      setLook: (data) => this.showRoom({ ...this.space.room, data: { ...this.space.room.data, ...data } }),
      listen: (on) => this.listen(on),
      guide: async () => (world.items.some(({ kind }) => guiding.includes(kind)) ? this.loadGuide() : null),
    });
  }

  /** Loads what a headset needs. */
  private async offerHeadset(): Promise<void> {
    const { Headset } = await import('./headset/headset.ts');
    if (this.ended.signal.aborted) return;
    const {
      stage,
      overlay,
      messages,
      controls,
      pointer,
      surroundings: { reducedMotion },
    } = this;
    this.headset = new Headset({ stage, overlay, messages, controls, pointer, reducedMotion, solids: () => this.solids() });
  }

  /** The visitor's view. */
  get eye(): View {
    return this.headset?.active ? this.headset.view : this.controls.current;
  }

  put(received: EntityRow): void {
    const entity = this.editor ? this.editor.receive(received) : received;
    if (entity) this.world.put(entity);
  }

  /** Shows what has changed of the settings of the space. */
  putRoom(received: EntityRow): void {
    const room = this.editor ? this.editor.receive(received) : received;
    if (room && !isSame(room, this.space.room)) void this.showRoom(room);
  }

  remove(entityId: string): void {
    if (this.editor?.receiveDeletion(entityId) ?? true) this.world.remove(entityId);
  }

  replace(entities: readonly EntityRow[]): void {
    this.world.replace(this.editor?.receiveAll(entities) ?? entities);
  }

  /** Shows what has changed of the space itself. */
  update(space: SpaceRow): void {
    this.world.allowPlugins(space.runsPlugins);
    this.space.space = space;
    this.editor?.lock.set(space.lock);
  }

  /** Returns the captures that lie on a side or upside down, as far as the server is sure of it. */
  get fallen(): readonly EntityRow[] {
    return this.world.items
      .map((item) => item.entity)
      .filter((entity) => {
        const up = foundUp(entity);
        return up !== null && !isUpright(up);
      });
  }

  /** Whether the server doubts that the unit of a capture is the metre, and its owner has not scaled it. */
  get isScaleDoubtful(): boolean {
    return this.world.items.some(({ entity }) => hasDoubtfulScale(entity));
  }

  /** Turns captures and what stands in them upright, for their owner, and shows the view with which a visit starts then. */
  async turnUpright(entities: readonly EntityRow[]): Promise<void> {
    const { changeWithContent, insideOf } = await import('./measure/carry.ts');
    const { id } = this.space.space;
    for (const entity of entities) {
      const { rotation, move } = turnUpright(entity, foundUp(entity)!);
      const isInside = insideOf(this.world.nodeOf(entity.entityId), this.world.captures.length);
      await changeWithContent(id, entity.entityId, { rotation }, move, isInside);
      const turned = await loadEntity(id, entity.entityId);
      if (turned) this.put(turned);
    }
    const view = firstView({ ...this.space, entities: this.world.items.map((item) => item.entity) });
    if (!view) return;
    this.initialView = this.shown = view;
    this.follow(view);
  }

  /** The space as it is now. */
  get row(): SpaceRow {
    return this.space.space;
  }

  /** Makes the present view the first one, and the picture of the space. */
  async setFirstView(): Promise<void> {
    const { storeFirstView } = await import('./edit/startview.ts');
    const hide = (on: boolean): void => {
      this.figures.hidden = on;
    };
    this.startAt(await storeFirstView(this.row.id, this.eye, this.stage, hide));
  }

  setMode(mode: Mode): void {
    this.walkSoon = false;
    this.controls.setMode(this.permitted(mode));
  }

  reset(): void {
    if (this.initialView) this.follow(this.initialView);
    history.replaceState(null, '', location.pathname + location.search);
  }

  async copyLink(): Promise<void> {
    const address = new URL(viewFragment(this.eye), location.href).href;
    history.replaceState(history.state, '', address);
    const isPrivate = this.space.space.privacy === 'PRIVATE' && !this.scene.dataset['local'];
    const copied = await copyText(address);
    this.overlay.say(this.messages(!copied ? 'copyByHand' : isPrivate ? 'copiedPrivate' : 'copied'));
  }

  push(right: number, down: number): void {
    this.input.stick = [right, down];
  }

  async lockPointer(): Promise<void> {
    try {
      await this.input.lock();
      this.overlay.say(this.messages('mouseLookHint'));
    } catch {
      this.overlay.say(this.messages('mouseLookRefused'));
    }
  }

  setQuality(quality: Quality): void {
    this.stage.setQuality(quality);
  }

  listen(on: boolean): void {
    this.listening = on;
    for (const sound of this.world.sounds) sound.listen(on);
    this.look?.listen(on);
  }

  destroy(): void {
    this.ended.abort();
    this.editor?.destroy();
    this.headset?.end();
    this.embed?.destroy();
    this.guide?.destroy();
    this.look?.destroy();
    this.borderLine?.destroy();
    this.measure?.destroy();
    this.input.destroy();
    this.world.replace([]);
    this.crossing.destroy();
    this.hub?.destroy();
    this.stage.destroy();
  }
}

/** Reports whether two states of an entity have the same data. */
function isSame(one: EntityRow, other: EntityRow): boolean {
  return JSON.stringify(one.data) === JSON.stringify(other.data);
}
