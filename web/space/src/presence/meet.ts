// Puts the visitor among the others: joins the space, and fills the panel of who is here.

import type { Messages } from '../i18n.ts';
import { removeVisitor, switchPresence } from '../server/presence.ts';
import type { SpaceRow } from '../server/space.ts';
import { People } from '../ui/people.ts';
import type { Overlay } from '../ui/overlay.ts';
import type { View } from '../view.ts';
import { Company } from './company.ts';
import type { Figures } from './company.ts';

/** What presence needs of a visit in 3D. */
export interface Place {
  readonly figures: Figures;
  readonly eye: View;
}

/** The visitor among the others. */
export interface Meeting {
  /** Follows the switch of the owner. */
  setPresence(on: boolean): void;
  destroy(): void;
}

/**
 * Joins the space; without a place the visitor is only on the list. isOwner is whether to show
 * what the owner may do.
 */
export function meet(overlay: Overlay, messages: Messages, space: SpaceRow, isOwner: boolean, place: Place | null): Meeting {
  let meeting: Meeting | null = null;
  const people = new People(overlay.people, messages, isOwner, {
    rename: (name) => company.rename(name),
    remove: (visitorId) => removeVisitor(space.id, visitorId),
    setPresence: async (on) => {
      await switchPresence(space.id, on);
      meeting?.setPresence(on);
    },
    count: (others) => overlay.countPeople(others),
  });
  const company = new Company(space.id, place?.figures ?? null, people, () => place?.eye ?? null, (changes) => {
    overlay.canvas.dispatchEvent(new CustomEvent('portico:visitors', { bubbles: true, detail: changes }));
  });
  people.showName(company.name);
  meeting = {
    setPresence: (on) => {
      people.showPresence(on);
      overlay.offerPeople(on || isOwner);
      company.switch(on);
    },
    destroy: () => company.destroy(),
  };
  meeting.setPresence(space.presence);
  return meeting;
}
