// The panel of visitors: the others, the field for this visitor's name, and the controls of the owner.

import type { Messages } from '../i18n.ts';
import type { Absence, PresenceDisplay } from '../presence/presence.ts';
import { hueOf } from '../presence/hue.ts';
import type { Visitor } from '../server/presence.ts';
import { button, element } from './elements.ts';

export interface VisitorPanelActions {
  rename(name: string): void;
  remove(visitorId: string): Promise<void>;
  /** Switches presence for everybody. */
  setPresence(on: boolean): Promise<void>;
  count(others: number): void;
}

const reasons = {
  FULL: 'peopleFull',
  SWITCHED_OFF: 'peopleOff',
  REMOVED: 'peopleRemoved',
  ACCESS_LOST: 'peopleGone',
  SPACE_DELETED: 'peopleGone',
  lost: 'peopleLost',
} as const satisfies Record<Absence, string>;

export class VisitorPanel implements PresenceDisplay {
  private readonly messages: Messages;
  private readonly actions: VisitorPanelActions;
  private readonly isOwner: boolean;
  private readonly status = element('p', { role: 'status' });
  private readonly list = element('ul');
  private readonly field = element('input', { name: 'name', maxlength: '40', autocomplete: 'nickname' });
  private readonly form: HTMLElement;
  private readonly presence = element('input', { type: 'checkbox' });

  constructor(panel: HTMLElement, messages: Messages, isOwner: boolean, actions: VisitorPanelActions) {
    this.messages = messages;
    this.actions = actions;
    this.isOwner = isOwner;
    this.form = this.nameForm();
    panel.replaceChildren(this.status, this.list, this.form);
    if (isOwner) panel.append(this.ownersSwitch());
  }

  private nameForm(): HTMLElement {
    const form = element(
      'form',
      { class: 'name-form' },
      element('label', {}, this.messages('yourName'), this.field),
      element('button', { type: 'submit' }, this.messages('saveName')),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.actions.rename(this.field.value.trim());
    });
    return form;
  }

  private ownersSwitch(): HTMLElement {
    this.presence.addEventListener('change', () => {
      const on = this.presence.checked;
      this.actions.setPresence(on).catch(() => {
        this.presence.checked = !on;
        this.status.textContent = this.messages('notSaved');
      });
    });
    return element('label', { class: 'switch' }, this.presence, this.messages('presenceSwitch'));
  }

  showName(name: string): void {
    this.field.value = name;
  }

  /** Shows whether visitors of the space see each other. */
  showPresence(on: boolean): void {
    this.presence.checked = on;
    this.form.hidden = !on;
  }

  show(others: readonly Visitor[]): void {
    this.actions.count(others.length);
    const key = others.length === 0 ? 'peopleNone' : others.length === 1 ? 'peopleOne' : 'peopleMany';
    this.say(this.messages(key, { count: String(others.length) }));
    const focus = document.activeElement?.getAttribute('data-visitor');
    this.list.replaceChildren(...others.map((visitor) => this.row(visitor)));
    if (focus) this.list.querySelector<HTMLElement>(`[data-visitor="${CSS.escape(focus)}"]`)?.focus();
  }

  showAbsence(why: Absence): void {
    this.actions.count(0);
    this.list.replaceChildren();
    this.say(this.messages(reasons[why]));
  }

  /** Shows a status, which screen readers announce, unless it is shown already. */
  private say(line: string): void {
    if (this.status.textContent !== line) this.status.textContent = line;
  }

  private row(visitor: Visitor): HTMLElement {
    const name = visitor.name ?? this.messages(visitor.isOwner ? 'owner' : 'guest');
    const dot = element('span', { class: 'dot', 'aria-hidden': 'true' });
    dot.style.setProperty('--hue', String(hueOf(visitor.id)));
    const row = element('li', {}, element('span', { class: 'name' }, dot, element('bdi', {}, name)));
    if (visitor.isOwner && visitor.name) row.append(element('span', { class: 'kind' }, this.messages('owner')));
    if (this.isOwner && !visitor.isOwner) row.append(this.removal(visitor.id, name));
    return row;
  }

  private removal(id: string, name: string): HTMLElement {
    return button(
      this.messages('removeVisitor'),
      () => {
        this.actions.remove(id).catch(() => {
          this.status.textContent = this.messages('notSaved');
        });
      },
      { 'data-visitor': id, 'aria-label': this.messages('removeVisitorName', { name }) },
    );
  }
}
