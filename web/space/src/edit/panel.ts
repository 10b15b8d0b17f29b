// The controls of the editor: tools, numbers, and what the owner must know.

import type { Placement } from '../entity.ts';
import type { Data, EntityRow, Triple } from '../server/space.ts';
import { button, element } from '../ui/elements.ts';
import { draw } from '../ui/icons.ts';
import type { Part } from './fields.ts';
import { parts } from './fields.ts';
import { GateFields } from './gatefields.ts';
import { GuideFields } from './guidefields.ts';
import type { GuideActions } from './guidefields.ts';
import { editIcons } from './icons.ts';
import type { EditIcon } from './icons.ts';
import type { EditMessages } from './messages.ts';
import { Numbers } from './numbers.ts';
import { ThingFields } from './thingfields.ts';

export interface PanelActions {
  mode(part: Part): void;
  undo(): void;
  redo(): void;
  ground(): void;
  look(): void;
  duplicate(): void;
  delete(): void;
  /** Lets the owner choose files to add. */
  add(): void;
  /** Adds a gate in front of the owner. */
  addGate(): void;
  /** Changes what a gate says, and where it leads. */
  describeGate(change: Data): void;
  /** Lets the owner click the place of a new annotation. */
  addAnnotation(byKeyboard: boolean): void;
  addTour(): void;
  /** Opens the tool that crops and turns the capture that is selected. */
  cleanUp(): void;
  typed(part: Part, value: Triple): void;
  finished(): void;
  decide(mine: boolean): void;
}

export interface Selected {
  name: string;
  kind: string;
  placement: Placement;
  entity: EntityRow;
  /** Its kind, as the code has it. */
  sort: string;
  /** The gate that it is; null for other things. */
  gate: EntityRow | null;
  /** The annotation, tour or path that it is; null for other things. */
  guide: { entity: EntityRow; kind: string } | null;
  /** It is at a post of the room. */
  fixed: boolean;
  /** It has no depth. */
  flat: boolean;
  conflict: { mine: string; theirs: string } | null;
}

export interface PanelState {
  selected: Selected | null;
  /** A conflict about the settings of the space; null for none. */
  room: Pick<Selected, 'name' | 'conflict'> | null;
  mode: Part;
  canUndo: boolean;
  canRedo: boolean;
  /** Who else holds the space, in words; empty for nobody. */
  held: string;
}

export class Panel {
  readonly element: HTMLElement;
  readonly numbers: Numbers;
  private readonly messages: EditMessages;
  private readonly tools = new Map<EditIcon, HTMLButtonElement>();
  private readonly status = element('p', { class: 'status', role: 'status' });
  private readonly held = element('p', { class: 'held', role: 'status' });
  private readonly alert = element('div', { class: 'alert', role: 'alert', hidden: '' });
  private readonly clash = element('div', { class: 'alert', role: 'alert', hidden: '' });
  private readonly heading = element('h3', { tabindex: '-1' });
  private readonly hint: HTMLElement;
  private readonly fixed: HTMLElement;
  private readonly gate: GateFields;
  private readonly guide: GuideFields;
  private readonly thing: ThingFields;
  private readonly cleanButton: HTMLButtonElement;
  private readonly actions: PanelActions;
  private shownClash = '';

  constructor(messages: EditMessages, actions: PanelActions, guide: GuideActions, uploads: HTMLElement, settings: HTMLElement) {
    this.messages = messages;
    this.actions = actions;
    this.numbers = new Numbers(messages, actions);
    this.gate = new GateFields(messages, (change) => actions.describeGate(change));
    this.guide = new GuideFields(messages, guide);
    this.thing = new ThingFields(messages, guide.change);
    this.hint = element('p', {}, messages('hint'), ' ', messages('dropHint'));
    this.fixed = element('p', {}, messages('fixed'));
    this.cleanButton = button(messages('cleanUp'), () => actions.cleanUp(), { class: 'second', hidden: '' });
    const more = element(
      'details',
      {},
      element('summary', {}, messages('spaceSettings')),
      settings,
      element('p', { class: 'keys' }, messages('keys')),
    );
    more.open = !matchMedia('(max-width: 62rem)').matches;
    const command = ([name, press, keys]: [EditIcon, () => void, string?]): HTMLElement => this.tool(name, press, keys);
    this.element = element(
      'aside',
      { class: 'editor', 'aria-label': messages('title') },
      element(
        'div',
        { class: 'tools', role: 'group', 'aria-label': messages('tools') },
        ...parts.map((part, index) => this.tool(part, () => actions.mode(part), String(index + 1), { 'aria-pressed': 'false' })),
        element('span', { class: 'gap' }),
        ...(
          [
            ['undo', () => actions.undo(), 'Ctrl+Z'],
            ['redo', () => actions.redo(), 'Ctrl+Shift+Z'],
            ['ground', () => actions.ground(), 'G'],
            ['look', () => actions.look(), 'F'],
            ['duplicate', () => actions.duplicate(), 'Ctrl+D'],
            ['delete', () => actions.delete(), 'Del'],
            ['add', () => actions.add()],
            ['gate', () => actions.addGate()],
            ['annotation', () => actions.addAnnotation(this.tools.get('annotation')!.matches(':focus-visible'))],
            ['tour', () => actions.addTour()],
          ] as [EditIcon, () => void, string?][]
        ).map(command),
      ),
      this.held,
      this.alert,
      this.clash,
      uploads,
      this.hint,
      this.heading,
      this.fixed,
      this.gate.element,
      this.guide.element,
      this.thing.element,
      this.numbers.element,
      this.cleanButton,
      this.status,
      more,
    );
    this.showSaving(false);
  }

  private tool(name: EditIcon, press: () => void, keys?: string, attributes: Record<string, string> = {}): HTMLButtonElement {
    const label = this.messages(name);
    const title = keys ? this.messages('keyed', { name: label, keys }) : label;
    const made = button('', press, { title, 'aria-label': label, ...attributes });
    made.append(draw(editIcons[name]));
    this.tools.set(name, made);
    return made;
  }

  show({ selected, room, mode, canUndo, canRedo, held }: PanelState): void {
    const movable = selected !== null && !selected.fixed && held === '';
    if (this.held.textContent !== held) this.held.textContent = held;
    this.held.hidden = held === '';
    for (const name of ['add', 'gate', 'annotation', 'tour'] as const) this.enable(name, held === '');
    for (const part of parts) {
      this.tools.get(part)!.setAttribute('aria-pressed', String(part === mode));
      this.enable(part, movable);
    }
    this.enable('undo', canUndo);
    this.enable('redo', canRedo);
    for (const name of ['ground', 'duplicate', 'delete'] as const) this.enable(name, movable);
    this.enable('look', selected !== null);
    this.hint.hidden = selected !== null;
    this.heading.hidden = selected === null;
    this.fixed.hidden = !selected?.fixed;
    this.numbers.element.hidden = !movable || (selected.guide !== null && selected.guide.kind !== 'annotation');
    this.guide.show(held === '' ? (selected?.guide?.entity ?? null) : null, selected?.guide?.kind ?? '');
    const plain = !selected?.gate && !selected?.guide;
    this.thing.show(held === '' && selected ? selected.entity : null, selected?.sort ?? '', plain);
    this.gate.element.hidden = !selected?.gate || held !== '';
    this.cleanButton.hidden = !movable || selected.sort !== 'capture' || !selected.entity.file?.id;
    if (selected?.gate) this.gate.show(selected.gate);
    this.heading.replaceChildren(selected?.name ?? '', ' ', element('small', {}, selected?.kind ?? ''));
    if (movable) this.numbers.show(selected.placement, selected.flat);
    this.showClash(selected?.conflict ? selected : room);
  }

  /** A button that has the focus must not lose it, so it is not disabled in the usual way. */
  private enable(name: EditIcon, on: boolean): void {
    const tool = this.tools.get(name)!;
    if (on) tool.removeAttribute('aria-disabled');
    else tool.setAttribute('aria-disabled', 'true');
  }

  private showClash(selected: PanelState['room']): void {
    const conflict = selected?.conflict;
    const summary = conflict ? JSON.stringify([selected.name, conflict]) : '';
    if (summary === this.shownClash) return;
    this.shownClash = summary;
    this.clash.hidden = !conflict;
    if (!conflict) {
      this.clash.replaceChildren();
      return;
    }
    const { messages, actions } = this;
    this.clash.replaceChildren(
      element('h3', {}, messages('clash')),
      element('p', {}, messages('clashText', { name: selected.name })),
      element(
        'dl',
        {},
        element('dt', {}, messages('mine')),
        element('dd', {}, conflict.mine),
        element('dt', {}, messages('theirs')),
        element('dd', {}, conflict.theirs),
      ),
      element(
        'div',
        { class: 'decision' },
        button(messages('keepMine'), () => actions.decide(true), { class: 'second' }),
        button(messages('takeTheirs'), () => actions.decide(false), { class: 'second' }),
      ),
    );
  }

  /** Says what went wrong until the owner has read it. */
  showProblem(line: string, signIn: boolean): void {
    const next = encodeURIComponent(location.pathname + location.search);
    const link = element('a', { href: `/login?next=${next}`, target: '_blank' }, this.messages('signIn'));
    this.alert.replaceChildren(
      element('p', {}, line),
      element(
        'div',
        { class: 'decision' },
        ...(signIn ? [link] : []),
        button(this.messages('dismiss'), () => this.hideProblem(), { class: 'second' }),
      ),
    );
    this.alert.hidden = false;
    this.status.hidden = true; // 'saved' would contradict it
  }

  hideProblem(): void {
    this.alert.hidden = true;
    this.status.hidden = false;
    this.alert.replaceChildren();
  }

  showSaving(saving: boolean): void {
    const line = this.messages(saving ? 'saving' : 'saved');
    if (this.status.textContent !== line) this.status.textContent = line;
    this.element.dataset['saving'] = String(saving);
  }

  /** Moves the focus to the title of a new annotation or tour. */
  focusGuide(): void {
    this.guide.element.querySelector('input')?.focus();
  }

  /** Moves the focus to what is selected. */
  focus(): void {
    if (this.numbers.element.hidden) this.heading.focus();
    else this.numbers.focus();
  }
}
