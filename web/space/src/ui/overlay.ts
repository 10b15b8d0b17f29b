// What lies over the 3D view: the poster, the bar, the panels and notices.

import { chosenQuality, qualities, rememberQuality } from '../quality.ts';
import type { Quality } from '../quality.ts';
import type { Messages } from '../i18n.ts';
import type { Mode } from '../view.ts';
import { button, element } from './elements.ts';
import { hintFor, makeHint } from './hint.ts';
import { hideWhenIdle } from './idle.ts';
import { icon } from './icons.ts';
import { Panels } from './panels.ts';
import type { Panel } from './panels.ts';
import { Progress } from './progress.ts';
import { fillShare } from './share.ts';
import { makeStick } from './stick.ts';
import { Toolbar, rename } from './toolbar.ts';
import type { Tool } from './toolbar.ts';

export interface Actions {
  setMode(mode: Mode): void;
  reset(): void;
  copyLink(): void;
  listen(on: boolean): void;
  /** Moves by the joystick: right and down, each from -1 to 1. */
  push(right: number, down: number): void;
  /** Lets the mouse turn the view without a button. */
  lockPointer(): void;
  setQuality(quality: Quality): void;
}

/** What the owner of an empty space can do. */
export interface EmptyActions {
  choose(): void;
}

const noticeTime = 6000;
/** How long the poster fades into the first picture, in milliseconds. */
const fadeTime = 400;

export class Overlay {
  readonly canvas: HTMLCanvasElement;
  /** The list of what is in the space. */
  readonly contents: HTMLElement;
  /** Where plugins show their panels. */
  readonly plugins: HTMLElement;
  /** The content of the panel of visitors. */
  readonly people: HTMLElement;
  readonly progress: Progress;
  private readonly scene: HTMLElement;
  private readonly messages: Messages;
  private readonly poster: HTMLImageElement;
  private readonly panels: Panels;
  private readonly toolbar: Toolbar;
  private readonly contentsPanel: Panel;
  private readonly peoplePanel: Panel;
  private readonly about: Panel | null;
  private readonly help: Panel;
  private readonly modes = new Map<Mode, HTMLButtonElement>();
  private hint: HTMLElement | null = null;
  private readonly notice: HTMLElement;
  private readonly notices: HTMLElement;
  private readonly problems: HTMLElement;
  private readonly sound: HTMLButtonElement;
  private readonly peopleButton: HTMLButtonElement;
  private readonly quality: HTMLElement;
  private edit: HTMLButtonElement | null = null;
  private timer = 0;

  constructor(scene: HTMLElement, messages: Messages, actions: Actions) {
    this.scene = scene;
    this.messages = messages;
    const byTouch = matchMedia('(pointer: coarse)').matches;
    scene.toggleAttribute('data-touch', byTouch);
    scene.addEventListener(
      'pointerdown',
      (event) => {
        if (event.pointerType === 'touch') scene.dataset['touch'] = '';
      },
      true,
    );
    this.canvas = element('canvas', {
      tabindex: '0',
      role: 'application',
      'aria-label': messages('view'),
      'aria-describedby': 'scene-help',
    });
    // The poster that the server has rendered stays, so that it does not flicker.
    this.poster = scene.querySelector<HTMLImageElement>('img.poster') ?? element('img', { class: 'poster', alt: '', hidden: '' });
    // A picture that cannot be loaded would be a broken one in the corner.
    this.poster.addEventListener('error', () => {
      this.poster.hidden = true;
    });
    if (this.poster.complete && this.poster.naturalWidth === 0) this.poster.hidden = true;
    this.progress = new Progress(messages);
    this.notice = element('p', { class: 'notice', role: 'status', hidden: '' });
    this.problems = element('div', { class: 'problems', role: 'status', hidden: '' });
    this.panels = new Panels(scene, messages);
    this.contentsPanel = this.panels.make('scene-contents', 'contents');
    this.contents = this.contentsPanel.body;
    this.plugins = element('div', { class: 'plugins' });
    this.peoplePanel = this.panels.make('scene-people', 'people');
    this.people = this.peoplePanel.body;
    const share = this.panels.make('scene-share', 'share');
    fillShare(share.body, messages, () => actions.copyLink());
    this.about = this.takeAbout();
    this.help = this.panels.make('scene-help', 'help');
    this.help.body.append(this.helpLines(byTouch));
    this.toolbar = new Toolbar(scene, messages, this.panels);
    this.addModes(actions);
    this.quality = this.qualityField(actions);
    this.toolbar.addButton('view', 'wide', 'reset', () => this.andReturn(() => actions.reset()));
    this.sound = this.toolbar.addButton('view', 'bar', 'soundOn', () => this.toggleSound(actions), { hidden: '', 'aria-pressed': 'false' });
    this.addFullscreen();
    this.toolbar.addOpener('bar', 'share', share);
    this.peopleButton = this.toolbar.addOpener('wide', 'people', this.peoplePanel);
    this.peopleButton.hidden = true;
    this.toolbar.addOpener('menu', 'contents', this.contentsPanel);
    if (this.about) this.toolbar.addOpener('menu', 'about', this.about);
    this.toolbar.addOpener('menu', 'help', this.help);
    this.notices = element('div', { class: 'notices' }, this.notice);
    const panels = [this.contentsPanel, this.peoplePanel, share, this.help, this.toolbar.menu, ...(this.about ? [this.about] : [])];
    this.progress.element.append(this.quality);
    scene.replaceChildren(
      this.canvas,
      this.poster,
      this.problems,
      this.plugins,
      makeStick(messages('stickLabel'), (right, down) => actions.push(right, down)),
      ...panels.map((panel) => panel.element),
      this.notices,
      this.progress.element,
      this.toolbar.element,
    );
    hideWhenIdle(
      scene,
      this.toolbar.element,
      () =>
        this.panels.isOpen ||
        scene.dataset['state'] !== 'ready' ||
        this.isEditing ||
        scene.querySelector('.hint, .problems:not([hidden])') !== null,
    );
  }

  /** Makes a panel of what the page says below the view, so that nothing is below the view; null where it says nothing. */
  private takeAbout(): Panel | null {
    const about = document.querySelector('.about');
    if (!about) return null;
    const panel = this.panels.make('scene-about', 'about');
    const footer = document.querySelector('body > footer');
    panel.body.append(about, ...(footer ? [footer] : []));
    return panel;
  }

  /** Touch comes first where there is no mouse. */
  private helpLines(byTouch: boolean): HTMLElement {
    const [touch, keys] = [
      ['helpTouch', 'helpStick'],
      ['helpKeys', 'helpTurn', 'helpUp', 'helpMouse'],
    ] as const;
    const lines = [...(byTouch ? [...touch, ...keys] : [...keys, ...touch]), 'helpGate'] as const;
    return element('ul', {}, ...lines.map((key) => element('li', {}, this.messages(key))));
  }

  private addModes(actions: Actions): void {
    for (const mode of ['walk', 'fly', 'orbit'] as const) {
      const press = (): void => this.andReturn(() => actions.setMode(mode));
      this.modes.set(mode, this.toolbar.addButton('move', mode === 'walk' ? 'bar' : 'wide', mode, press, { 'aria-pressed': 'false' }));
    }
    if (matchMedia('(any-pointer: fine)').matches) {
      this.toolbar.addButton('move', 'menu', 'mouseLook', () => this.andReturn(() => actions.lockPointer()));
    }
  }

  /** Does something in the view, which gets the focus, so that all keys move next. */
  private andReturn(act: () => void): void {
    this.panels.close();
    this.canvas.focus({ preventScroll: true });
    act();
  }

  private qualityField(actions: Actions): HTMLElement {
    const names = { auto: 'qualityAuto', low: 'qualityLow', high: 'qualityHigh' } as const;
    const select = element('select', {}, ...qualities.map((one) => element('option', { value: one }, this.messages(names[one]))));
    select.value = chosenQuality();
    select.addEventListener('change', () => {
      const quality = select.value as Quality;
      rememberQuality(quality);
      actions.setQuality(quality);
    });
    return element('label', { class: 'quality' }, this.messages('quality'), ' ', select);
  }

  closePanels(): void {
    this.panels.close();
  }

  private addFullscreen(): void {
    // The title of the page belongs to the picture.
    const whole = document.documentElement;
    const made = this.toolbar.addButton('view', 'wide', 'fullscreen', () =>
      this.andReturn(() => {
        // A browser or the frame around the page may refuse; the view stays as it is.
        if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
        else whole.requestFullscreen().catch(() => {});
      }),
    );
    made.hidden = !document.fullscreenEnabled;
    document.addEventListener('fullscreenchange', () => {
      rename(made, this.messages(document.fullscreenElement ? 'leaveFullscreen' : 'fullscreen'));
    });
  }

  private toggleSound(actions: Actions): void {
    const on = this.sound.getAttribute('aria-pressed') !== 'true';
    this.sound.setAttribute('aria-pressed', String(on));
    actions.listen(on);
  }

  /** Shows a picture until the scene is drawn. */
  showPoster(address: string): void {
    if (address === '' || !this.poster.hidden || this.scene.dataset['state'] === 'ready') return;
    this.poster.src = address;
    this.poster.hidden = false;
  }

  /** Records that the first picture of the scene is drawn. The poster fades into it. */
  ready(): void {
    if (this.scene.dataset['state'] === 'ready') return;
    this.scene.dataset['state'] = 'ready';
    this.toolbar.add('view', 'menu', this.quality);
    this.progress.element.hidden = !this.progress.isPreparing;
    const still = this.poster.hidden || matchMedia('(prefers-reduced-motion: reduce)').matches;
    const fade = this.poster.animate({ opacity: [1, 0] }, { duration: still ? 0 : fadeTime, easing: 'ease-out', fill: 'none' });
    void fade.finished.then(() => {
      this.poster.hidden = true;
    });
    this.showHint();
  }

  private showHint(): void {
    this.hint = makeHint(this.scene, this.hintLine);
    if (this.hint) this.toolbar.element.before(this.hint);
  }

  private get hintLine(): string {
    const { mode, embed, local } = this.scene.dataset;
    const isFramed = embed === 'true' && !local;
    return this.messages(isFramed ? 'hintFrame' : hintFor((mode ?? 'orbit') as Mode, 'touch' in this.scene.dataset));
  }

  /** Says that the server prepares something, and which part of it is done; an empty line removes the message. */
  showPreparing(line: string, percent: number): void {
    this.progress.prepare(line, percent);
    this.progress.element.hidden = line === '' && this.scene.dataset['state'] === 'ready';
  }

  /** Says where the picture would be why there is none, and may offer to try again; nothing removes the message. */
  showProblems(lines: readonly string[], again?: () => void): void {
    const shown = [...new Set(lines)].slice(0, 3);
    if (shown.join() === this.problems.dataset['shown']) return;
    this.problems.dataset['shown'] = shown.join();
    this.problems.replaceChildren(...shown.map((line) => element('p', {}, line)));
    if (again && shown.length > 0) this.problems.append(this.againButton(again));
    this.problems.hidden = shown.length === 0;
  }

  private againButton(again: () => void): HTMLElement {
    return button(
      this.messages('again'),
      () => {
        this.showProblems([]);
        again();
      },
      { class: 'first' },
    );
  }

  /** Says what failed, over the poster, until the visitor wants to try again. */
  offerAgain(line: string): Promise<void> {
    return new Promise((resolve) => {
      this.showProblems([line], resolve);
    });
  }

  /** Says that there is nothing in the space; its owner may add something. */
  showEmpty(actions: EmptyActions | null): void {
    if (this.problems.dataset['shown'] === 'empty') return;
    this.problems.dataset['shown'] = 'empty';
    const { messages } = this;
    this.problems.replaceChildren(
      ...(actions
        ? [
            icon('drop'),
            element('h2', {}, messages('dropHere')),
            element('p', {}, messages('dropKinds')),
            button(messages('chooseFiles'), () => actions.choose(), { class: 'first' }),
          ]
        : [element('p', {}, messages('empty'))]),
    );
    this.problems.hidden = false;
  }

  showMode(mode: Mode, offered: readonly Mode[]): void {
    this.scene.dataset['mode'] = mode;
    // The floor may come after the first picture: who flew then walks.
    if (this.hint) this.hint.textContent = this.hintLine;
    for (const [name, one] of this.modes) {
      one.setAttribute('aria-pressed', String(name === mode));
      one.hidden = offered.length < 2 || !offered.includes(name);
    }
  }

  /** Adds a button to the bar that is hidden at first. */
  addTool(name: Tool, press: () => void): HTMLButtonElement {
    return this.toolbar.addButton('view', 'bar', name, press, { hidden: '' });
  }

  /** Adds a control of what is loaded later. */
  addControl(control: HTMLElement): void {
    this.toolbar.add('view', 'wide', control);
  }

  /** Adds a line to the help, and fields below. */
  addHelp(line: string, fields: HTMLElement): void {
    this.help.body.querySelector('ul')!.append(element('li', {}, line));
    this.help.body.append(fields);
  }

  /** Offers to report the space: among the controls, or below the list where there are none. */
  offerReport(press: () => void): void {
    if (this.toolbar.element.hidden) this.contentsPanel.element.after(button(this.messages('report'), press, { class: 'second' }));
    else this.toolbar.addButton('more', 'menu', 'report', press);
  }

  /** Offers the way back to the space that the visitor came from. */
  offerBack(label: string, address: string): void {
    const link = element('a', { class: 'button', href: address, title: label }, icon('back'), element('span', { class: 'label' }, label));
    this.toolbar.add('move', 'bar', link);
  }

  /** Offers the owner to edit the space. */
  offerEdit(press: () => Promise<void>): void {
    this.edit = this.toolbar.addButton(
      'more',
      'wide',
      'edit',
      () => {
        this.panels.close();
        press().catch(() => this.say(this.messages('loadFailed')));
      },
      { 'aria-pressed': 'false' },
    );
  }

  private get isEditing(): boolean {
    return this.edit?.getAttribute('aria-pressed') === 'true';
  }

  showEditing(on: boolean): void {
    this.edit?.setAttribute('aria-pressed', String(on));
  }

  /** Says something to the owner that stays until it is dismissed, and may offer to do something about it once. */
  advise(line: string, dismissal: string, offer?: { label: string; press: () => Promise<void> }): void {
    const advice = element('p', { class: 'notice', role: 'status' }, line, ' ');
    if (offer) {
      const accept = button(offer.label, () => {
        accept.disabled = true;
        offer.press().then(
          () => advice.remove(),
          () => {
            accept.disabled = false;
            this.say(this.messages('turnFailed'));
          },
        );
      });
      advice.append(accept, ' ');
    }
    advice.append(button(dismissal, () => advice.remove(), { class: 'second' }));
    this.notices.append(advice);
  }

  /** Shows the poster over the whole page, as the first frame of a place does. */
  fillPage(): void {
    this.poster.classList.add('fills');
  }

  /** Offers the panel of who else is here; it is open where there is no toolbar. */
  offerPeople(offered: boolean): void {
    this.peopleButton.hidden = !offered;
    if (this.toolbar.element.hidden) this.peoplePanel.element.hidden = !offered;
    else if (!offered) this.panels.close(this.peoplePanel);
  }

  /** Shows how many others are here. */
  countPeople(others: number): void {
    rename(this.peopleButton, others > 0 ? this.messages('peopleCount', { count: String(others) }) : this.messages('people'));
  }

  offerSound(offered: boolean): void {
    this.sound.hidden = !offered;
  }

  /** Says something for a few seconds. */
  say(line: string): void {
    clearTimeout(this.timer);
    this.notice.textContent = line;
    this.notice.hidden = false;
    this.timer = window.setTimeout(() => {
      this.notice.hidden = true;
    }, noticeTime);
  }

  /** Shows the list alone, for a browser that cannot draw the scene. */
  withoutScene(line: string): void {
    this.scene.dataset['state'] = 'failed';
    this.progress.element.replaceChildren(element('p', { role: 'status' }, line));
    this.progress.element.hidden = false;
    this.canvas.hidden = true;
    this.contentsPanel.element.hidden = false;
    if (this.about) this.about.element.hidden = false;
    this.toolbar.element.hidden = true;
  }

  /** Closes the page: the space is gone. */
  close(title: string, line: string): void {
    this.scene.dataset['state'] = 'closed';
    this.scene.replaceChildren(
      element(
        'div',
        { class: 'closed', role: 'alert' },
        element('h2', {}, title),
        element('p', {}, line),
        element('a', { href: '/' }, this.messages('home')),
      ),
    );
  }
}
