// What lies over the 3D view: the poster, the toolbar, help and notices.

import type { Messages } from '../i18n.ts';
import type { Mode } from '../view.ts';
import { button, element } from './elements.ts';
import { icon } from './icons.ts';
import type { Icon } from './icons.ts';

export interface Actions {
  setMode(mode: Mode): void;
  reset(): void;
  copyLink(): void;
  listen(on: boolean): void;
}

const noticeTime = 6000;

export class Overlay {
  readonly canvas: HTMLCanvasElement;
  readonly contents: HTMLElement;
  /** Where plugins show their panels. */
  readonly plugins: HTMLElement;
  /** The panel of visitors. */
  readonly people: HTMLElement;
  private readonly scene: HTMLElement;
  private readonly messages: Messages;
  private readonly poster: HTMLImageElement;
  private readonly toolbar: HTMLElement;
  private readonly help: HTMLElement;
  private readonly helpButton: HTMLButtonElement;
  private readonly modes = new Map<Mode, HTMLButtonElement>();
  private readonly progress: HTMLElement;
  private readonly notice: HTMLElement;
  private readonly notices: HTMLElement;
  private readonly problems: HTMLElement;
  private readonly sound: HTMLButtonElement;
  private readonly peopleButton: HTMLButtonElement;
  private timer = 0;
  private preparing = '';

  constructor(scene: HTMLElement, messages: Messages, actions: Actions) {
    this.scene = scene;
    this.messages = messages;
    this.canvas = element('canvas', {
      tabindex: '0',
      role: 'application',
      'aria-label': messages('view'),
      'aria-describedby': 'scene-help',
    });
    // The poster that the server has rendered stays, so that it does not flicker.
    this.poster = scene.querySelector<HTMLImageElement>('img.poster') ?? element('img', { class: 'poster', alt: '', hidden: '' });
    this.progress = element('p', { class: 'progress', role: 'status' }, messages('loading'));
    this.notice = element('p', { class: 'notice', role: 'status', hidden: '' });
    this.problems = element('div', { class: 'problems', role: 'status', hidden: '' });
    this.contents = element('aside', {
      class: 'panel',
      tabindex: '0',
      id: 'scene-contents',
      'aria-label': messages('contents'),
      hidden: '',
    });
    this.plugins = element('div', { class: 'plugins' });
    this.people = element('aside', { class: 'panel', tabindex: '0', id: 'scene-people', 'aria-label': messages('people'), hidden: '' });
    this.peopleButton = this.panelButton('people', this.people);
    this.peopleButton.hidden = true;
    this.help = element(
      'aside',
      { class: 'panel', tabindex: '0', id: 'scene-help', 'aria-label': messages('help'), hidden: '' },
      element('h2', {}, messages('help')),
      ...this.helpLines(),
    );
    this.helpButton = this.panelButton('help', this.help);
    this.sound = this.tool('soundOn', () => this.toggleSound(actions), { hidden: '', 'aria-pressed': 'false' });
    this.toolbar = element(
      'div',
      { class: 'toolbar', role: 'group', 'aria-label': messages('controls') },
      this.modeButtons(actions),
      this.tool('reset', () => actions.reset()),
      this.tool('copyLink', () => actions.copyLink()),
      this.sound,
      this.panelButton('contents', this.contents),
      this.peopleButton,
      this.helpButton,
      this.fullscreenButton(),
    );
    this.notices = element('div', { class: 'notices' }, this.notice);
    scene.replaceChildren(
      this.canvas,
      this.poster,
      this.progress,
      this.problems,
      this.plugins,
      this.contents,
      this.people,
      this.help,
      this.notices,
      this.toolbar,
    );
    new ResizeObserver(() => this.fitToolbar()).observe(scene);
    new MutationObserver(() => this.fitToolbar()).observe(this.toolbar, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ['hidden'],
    });
  }

  /** Shows icons alone where the names of all buttons do not fit into one row. Panels end above the toolbar. */
  private fitToolbar(): void {
    const { toolbar } = this;
    toolbar.classList.remove('icons');
    const tools = [...toolbar.children].filter((tool): tool is HTMLElement => tool instanceof HTMLElement && !tool.hidden);
    toolbar.classList.toggle(
      'icons',
      tools.some((tool) => tool.offsetTop > tools[0]!.offsetTop),
    );
    this.scene.style.setProperty('--bar', `${toolbar.offsetHeight}px`);
  }

  /** Returns a button of the toolbar. A narrow one shows the icon alone. */
  private tool(name: Icon, press: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
    const made = button('', press, { title: this.messages(name), ...attributes });
    made.append(icon(name), element('span', { class: 'label' }, this.messages(name)));
    return made;
  }

  private helpLines(): HTMLElement[] {
    const lines = ['helpKeys', 'helpTurn', 'helpUp', 'helpMouse', 'helpTouch', 'helpThumbs', 'helpGate'] as const;
    return [element('ul', {}, ...lines.map((key) => element('li', {}, this.messages(key))))];
  }

  private modeButtons(actions: Actions): HTMLElement {
    const group = element('div', { role: 'group', class: 'modes', 'aria-label': this.messages('moving') });
    for (const mode of ['walk', 'fly', 'orbit'] as const) {
      const one = this.tool(mode, () => actions.setMode(mode), { 'aria-pressed': 'false' });
      this.modes.set(mode, one);
      group.append(one);
    }
    return group;
  }

  /** Opens one panel at a time; Escape closes it. */
  private panelButton(name: Icon, panel: HTMLElement): HTMLButtonElement {
    const opener = this.tool(name, () => show(panel.hidden), { 'aria-expanded': 'false', 'aria-controls': panel.id });
    const show = (open: boolean): void => {
      this.closePanels();
      panel.hidden = !open;
      opener.setAttribute('aria-expanded', String(open));
    };
    panel.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      show(false);
      opener.focus();
    });
    return opener;
  }

  closePanels(): void {
    for (const panel of this.scene.querySelectorAll<HTMLElement>('.panel')) panel.hidden = true;
    for (const opener of this.toolbar.querySelectorAll('[aria-expanded]')) opener.setAttribute('aria-expanded', 'false');
  }

  private fullscreenButton(): HTMLButtonElement {
    const made = this.tool('fullscreen', () => {
      // A browser or the frame around the page may refuse; the view stays as it is.
      if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
      else this.scene.requestFullscreen().catch(() => {});
    });
    made.hidden = !document.fullscreenEnabled;
    document.addEventListener('fullscreenchange', () => {
      const text = this.messages(document.fullscreenElement ? 'leaveFullscreen' : 'fullscreen');
      made.title = made.querySelector('.label')!.textContent = text;
    });
    return made;
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

  /** Records that the first picture of the scene is drawn, and removes the poster. */
  ready(): void {
    this.scene.dataset['state'] = 'ready';
    this.poster.hidden = true;
    this.progress.hidden = this.preparing === '';
  }

  /** Says that something is being prepared; an empty line removes the message. */
  showPreparing(line: string): void {
    if (line === this.preparing) return;
    this.preparing = line;
    this.progress.textContent = line || this.messages('loading');
    this.progress.hidden = line === '' && this.scene.dataset['state'] === 'ready';
  }

  /** Says where the picture would be why there is none; nothing removes the message. */
  showProblems(lines: readonly string[]): void {
    const shown = [...new Set(lines)].slice(0, 3);
    if (shown.join() === this.problems.dataset['shown']) return;
    this.problems.dataset['shown'] = shown.join();
    this.problems.replaceChildren(...shown.map((line) => element('p', {}, line)));
    this.problems.hidden = shown.length === 0;
  }

  showMode(mode: Mode, walkable: boolean): void {
    for (const [name, one] of this.modes) one.setAttribute('aria-pressed', String(name === mode));
    this.modes.get('walk')!.hidden = !walkable;
  }

  /** Adds a button that is hidden at first. */
  addTool(name: Icon, press: () => void): HTMLButtonElement {
    const made = this.tool(name, press, { hidden: '' });
    this.helpButton.before(made);
    return made;
  }

  /** Adds a line to the help, and fields below. */
  addHelp(line: string, fields: HTMLElement): void {
    this.help.querySelector('ul')!.append(element('li', {}, line));
    this.help.append(fields);
  }

  /** Offers to report the space: in the help, or below the list where there is no toolbar. */
  offerReport(press: () => void): void {
    const opener = button(this.messages('report'), press, { class: 'second' });
    if (this.toolbar.hidden) this.contents.after(opener);
    else this.help.append(opener);
  }

  /** Offers the way back to the space that the visitor came from. */
  offerBack(label: string, address: string): void {
    const link = element('a', { class: 'button', href: address, title: label }, icon('back'), element('span', { class: 'label' }, label));
    this.toolbar.prepend(link);
  }

  /** Offers the owner to edit the space; press returns whether editing is on now. */
  offerEdit(press: () => Promise<boolean>): void {
    const opener = this.tool(
      'edit',
      () => {
        void press().then(
          (on) => opener.setAttribute('aria-pressed', String(on)),
          () => this.say(this.messages('loadFailed')),
        );
      },
      { 'aria-pressed': 'false' },
    );
    this.toolbar.append(opener);
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
    if (this.toolbar.hidden || !offered) this.people.hidden = !offered;
  }

  /** Shows how many others are here. */
  countPeople(others: number): void {
    const text = others > 0 ? this.messages('peopleCount', { count: String(others) }) : this.messages('people');
    this.peopleButton.title = this.peopleButton.querySelector('.label')!.textContent = text;
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
    this.progress.textContent = line;
    this.progress.hidden = false;
    this.canvas.hidden = true;
    this.contents.hidden = false;
    this.toolbar.hidden = true;
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
