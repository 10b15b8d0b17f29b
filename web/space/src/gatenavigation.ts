// Where gates lead: to other spaces, to web pages, and back.

import type { Messages } from './i18n.ts';
import type { Gate } from './scene/gate.ts';
import { showPage } from './ui/framedpage.ts';
import { askToLeave } from './ui/asktoleave.ts';

/** The gate that this tab last went through. The tab keeps it until the next one. */
interface Passage {
  from: string;
  to: string;
  title: string;
}

const passageKey = 'portico.passage';

export class GateNavigation {
  private readonly scene: HTMLElement;
  private readonly messages: Messages;
  private readonly here: { spaceId: string; title: string };

  constructor(scene: HTMLElement, messages: Messages, here: { spaceId: string; title: string }) {
    this.scene = scene;
    this.messages = messages;
    this.here = here;
  }

  /** Returns the address of a space; within an embedded page it is embedded too. */
  address(spaceId: string): string {
    return this.scene.dataset['embed'] === 'true' ? `/embed/${spaceId}` : `/${spaceId}`;
  }

  /** Goes where a gate leads; stay is called if the visitor does not want to leave. */
  goThrough(gate: Gate, stay: () => void): void {
    const { destination } = gate;
    if (destination.kind === 'space') {
      this.remember(destination.spaceId);
      location.assign(this.address(destination.spaceId));
    } else if (destination.kind === 'page' && destination.embedded && this.mayFrame(destination.address)) {
      showPage(this.scene, this.messages, destination.address, stay);
    } else if (destination.kind === 'page') {
      const newTab = destination.newTab || this.scene.dataset['embed'] === 'true';
      askToLeave(this.scene, this.messages, destination.address, newTab, stay);
    }
  }

  /** Reports whether the policy of the page allows a frame of this address. It names the hosts of the gates that the space had when the page was opened. */
  private mayFrame(address: string): boolean {
    return (this.scene.dataset['frames'] ?? '').split(' ').includes(new URL(address).origin);
  }

  private remember(to: string): void {
    const passage: Passage = { from: this.here.spaceId, to, title: this.here.title };
    try {
      sessionStorage.setItem(passageKey, JSON.stringify(passage));
    } catch {
      // Without storage there is no gate back; the browser's own way back remains.
    }
  }

  /** Returns the space that the visitor came from through a gate; null where there is none. */
  origin(): { spaceId: string; title: string } | null {
    try {
      const passage = JSON.parse(sessionStorage.getItem(passageKey) ?? 'null') as Passage | null;
      return passage?.to === this.here.spaceId ? { spaceId: passage.from, title: passage.title } : null;
    } catch {
      return null;
    }
  }
}
