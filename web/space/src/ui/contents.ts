// The list of what is in the space: the alternative to the 3D view.

import { guiding, isHidden, nameOf } from '../entity.ts';
import type { Reason } from '../entity.ts';
import type { Messages } from '../i18n.ts';
import { destinationOf } from '../gatelink.ts';
import type { Item } from '../scene/item.ts';
import { staticGate } from '../staticgates.ts';
import { button, element } from './elements.ts';

export interface ContentsActions {
  /** Moves the view to an entity. */
  visit(entityId: string): void;
  /** Whether visit also opens what guides visitors, which needs a scene. */
  guides?: boolean;
  /** Returns the address of a space within this site. */
  spaceAddress(spaceId: string): string;
}

/** What the owner who edits can do with each row. */
export interface Selecting {
  label: string;
  /** Returns the name of the button for an entity of this name. */
  name(entity: string): string;
  /** What to say of things that visitors do not see. */
  hidden: string;
  selected: string | null;
  select(entityId: string): void;
}

/** Returns the sentence that says why a file cannot be shown. */
export function explain(messages: Messages, { key, detail }: Reason): string {
  return messages('unseen', { reason: messages(key, { detail }).trim() });
}

export class Contents {
  private readonly panel: HTMLElement;
  private readonly messages: Messages;
  private readonly actions: ContentsActions;
  private shown = '';
  private selecting: Selecting | null = null;
  private items: readonly Item[] = [];

  constructor(panel: HTMLElement, messages: Messages, actions: ContentsActions) {
    this.panel = panel;
    this.messages = messages;
    this.actions = actions;
  }

  /** Offers to select rows, also of what visitors do not see; null ends that. */
  offerSelection(selecting: Selecting | null): void {
    this.selecting = selecting;
    this.show(this.items);
  }

  show(items: readonly Item[]): void {
    this.items = items;
    const listed = items.filter(
      (item) => this.selecting !== null || (!isHidden(item.entity) && item.kind !== 'spawn' && !this.isUnused(item)),
    );
    // A list that did not change must keep the focus where it is.
    const summary = JSON.stringify([
      this.selecting !== null,
      this.selecting?.selected,
      listed.map((item) => [item.entity.entityId, this.name(item), item.state, item.reason, item.entity.data['link']]),
    ]);
    if (summary === this.shown) return;
    this.shown = summary;
    const focus = this.panel.contains(document.activeElement) ? this.focusedButton() : null;
    const rows = listed.map((item) => this.row(item));
    this.panel.replaceChildren(
      rows.length > 0 ? element('ul', {}, ...rows) : element('p', {}, this.messages('empty')),
      ...this.attributions(listed),
    );
    if (focus) this.panel.querySelector<HTMLElement>(focus)?.focus();
  }

  /** Returns the selector of the button that has the focus. */
  private focusedButton(): string | null {
    const { entity, select } = (document.activeElement as HTMLElement).dataset;
    if (select) return `[data-select="${CSS.escape(select)}"]`;
    return entity ? `[data-entity="${CSS.escape(entity)}"]` : null;
  }

  name(item: Item): string {
    if (item.thing?.title) return item.thing.title;
    const name = nameOf(item.entity);
    if (item.kind !== 'gate' || name !== item.entity.entityId) return name;
    const post = staticGate(item.entity.entityId);
    if (!post) return this.messages('untitledGate');
    return this.messages('gatePlace', { number: String(post.number), wall: this.messages(post.wall) });
  }

  /** Reports whether nobody has set up a gate yet. */
  private isUnused({ kind, entity }: Item): boolean {
    return kind === 'gate' && destinationOf(entity).kind === 'none' && nameOf(entity) === entity.entityId;
  }

  private row(item: Item): HTMLElement {
    const about = [this.messages(item.kind)];
    if (item.kind === 'gate' && destinationOf(item.entity).kind === 'none') about.push(this.messages('leadsNowhere'));
    if (this.selecting && isHidden(item.entity)) about.push(this.selecting.hidden);
    if (item.state !== 'shown' && item.state !== 'invisible') about.push(this.messages(item.state));
    const row = element(
      'li',
      {},
      element('span', { class: 'name' }, this.name(item)),
      element('span', { class: 'kind' }, about.join(', ')),
    );
    if (item.state === 'failed' && item.reason) row.append(element('p', { class: 'reason' }, explain(this.messages, item.reason)));
    const id = item.entity.entityId;
    const name = this.name(item);
    if (item.kind === 'gate') row.append(...this.gateLink(item, name));
    if (guiding.includes(item.kind) ? this.actions.guides : item.thing && item.kind !== 'sound') {
      row.append(
        button(this.messages('visit'), () => this.actions.visit(id), {
          'data-entity': id,
          'aria-label': this.messages('visitName', { name }),
        }),
      );
    }
    const { selecting } = this;
    if (selecting) {
      const pressed = { 'aria-pressed': String(selecting.selected === id), 'aria-label': selecting.name(name) };
      row.append(button(selecting.label, () => selecting.select(id), { 'data-select': id, ...pressed }));
    }
    return row;
  }

  private gateLink(item: Item, name: string): HTMLElement[] {
    const destination = destinationOf(item.entity);
    if (destination.kind === 'none') return [];
    const label = { 'aria-label': this.messages('enterName', { name }) };
    const href = destination.kind === 'space' ? this.actions.spaceAddress(destination.spaceId) : destination.address;
    const link = element('a', { href, rel: 'noopener noreferrer', ...label }, this.messages('enter'));
    link.addEventListener('click', (event) => {
      if (!item.thing?.enter || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      item.thing.enter();
    });
    return [link];
  }

  private attributions(items: readonly Item[]): HTMLElement[] {
    const lines = new Set(items.map((item) => item.entity.file?.attribution ?? '').filter((line) => line !== ''));
    return [...lines].map((line) => element('p', { class: 'credit' }, line));
  }
}
