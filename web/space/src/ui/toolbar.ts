// The bar of the 3D view in three groups: ways of moving, the view, and sharing with all the rest.
// What does not fit is in the panel that its last button opens.

import type { MessageKey, Messages } from '../i18n.ts';
import { button, element } from './elements.ts';
import { icon } from './icons.ts';
import type { Icon } from './icons.ts';
import type { Panel, Panels } from './panels.ts';

/** The name of a control: of its icon and of its label. */
export type Tool = Icon & MessageKey;

export type Group = 'move' | 'view' | 'more';

/** Where a control is: always in the bar, only in the bar of a wide view, or always in the panel. */
export type Place = 'bar' | 'wide' | 'menu';

const groups: readonly Group[] = ['move', 'view', 'more'];
const names = { move: 'moving', view: 'viewing', more: 'sharing' } as const;

/** Views that are narrower, in pixels, have the most important controls alone in the bar. */
const minWide = 800;

export class Toolbar {
  readonly element: HTMLElement;
  readonly menu: Panel;
  private readonly messages: Messages;
  private readonly panels: Panels;
  private readonly bars: Record<Group, HTMLElement>;
  private readonly lists: Record<Group, HTMLElement>;
  private readonly controls: { group: Group; place: Place; control: HTMLElement }[] = [];
  private readonly more: HTMLButtonElement;
  private compact = false;

  constructor(scene: HTMLElement, messages: Messages, panels: Panels) {
    this.messages = messages;
    this.panels = panels;
    const group = (name: Group): HTMLElement => element('div', { role: 'group', class: name, 'aria-label': messages(names[name]) });
    this.bars = { move: group('move'), view: group('view'), more: group('more') };
    this.lists = { move: group('move'), view: group('view'), more: group('more') };
    this.menu = panels.make('scene-more', 'more');
    this.menu.body.append(...groups.map((name) => this.lists[name]));
    this.more = this.opener('more', this.menu);
    this.element = element(
      'div',
      { class: 'toolbar', role: 'group', 'aria-label': messages('controls') },
      ...groups.map((name) => this.bars[name]),
    );
    new ResizeObserver(() => {
      const compact = scene.clientWidth < minWide;
      if (compact !== this.compact) this.arrange(compact);
      scene.style.setProperty('--bar', `${this.element.offsetHeight}px`);
    }).observe(scene);
  }

  /** Adds a control at the end of its group. */
  add<Control extends HTMLElement>(group: Group, place: Place, control: Control): Control {
    this.controls.push({ group, place, control });
    this.arrange(this.compact);
    return control;
  }

  addButton(group: Group, place: Place, name: Tool, press: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
    return this.add(group, place, this.button(name, press, attributes));
  }

  /** Adds a button that opens a panel. */
  addOpener(place: Place, name: Tool, panel: Panel): HTMLButtonElement {
    return this.add('more', place, this.opener(name, panel));
  }

  private opener(name: Tool, panel: Panel): HTMLButtonElement {
    const made: HTMLButtonElement = this.button(
      name,
      () => {
        // A panel that was opened from the panel of controls replaces it.
        const isListed = this.menu.element.contains(made);
        this.panels.toggle(panel, isListed ? this.more : made);
      },
      { 'aria-expanded': 'false', 'aria-controls': panel.element.id },
    );
    return made;
  }

  private button(name: Tool, press: () => void, attributes: Record<string, string>): HTMLButtonElement {
    const made = button('', press, { 'data-tool': name, title: this.messages(name), ...attributes });
    made.append(icon(name), element('span', { class: 'label' }, this.messages(name)));
    return made;
  }

  private arrange(compact: boolean): void {
    this.compact = compact;
    this.element.classList.toggle('compact', compact);
    for (const name of groups) {
      const own = this.controls.filter(({ group }) => group === name);
      const isInBar = ({ place }: { place: Place }): boolean => place === 'bar' || (place === 'wide' && !compact);
      this.bars[name].replaceChildren(...own.filter(isInBar).map(({ control }) => control));
      this.lists[name].replaceChildren(...own.filter((one) => !isInBar(one)).map(({ control }) => control));
    }
    this.bars.more.append(this.more);
  }
}

/** Changes the name that a button shows. */
export function rename(tool: HTMLElement, label: string): void {
  tool.title = tool.querySelector('.label')!.textContent = label;
}
