// Joins the presence of a space, and fills the panel of visitors.

import type { Messages } from '../i18n.ts';
import { removeVisitor, switchPresence } from '../server/presence.ts';
import type { SpaceRow } from '../server/space.ts';
import { VisitorPanel } from '../ui/visitorpanel.ts';
import type { Overlay } from '../ui/overlay.ts';
import type { View } from '../view.ts';
import { Presence } from './presence.ts';
import type { Figures } from './presence.ts';

/** What presence needs of a visit in 3D. */
export interface PresenceScene {
  readonly figures: Figures;
  readonly eye: View;
}

export interface JoinedPresence {
  /** Follows the switch of the owner. */
  setPresence(on: boolean): void;
  destroy(): void;
}

/**
 * Joins the space; without a scene the visitor has no figure. isOwner is whether to show
 * the controls of the owner.
 */
export function joinPresence(
  overlay: Overlay,
  messages: Messages,
  space: SpaceRow,
  isOwner: boolean,
  scene: PresenceScene | null,
): JoinedPresence {
  let joined: JoinedPresence | null = null;
  const panel = new VisitorPanel(overlay.people, messages, isOwner, {
    rename: (name) => presence.rename(name),
    remove: (visitorId) => removeVisitor(space.id, visitorId),
    setPresence: async (on) => {
      await switchPresence(space.id, on);
      joined?.setPresence(on);
    },
    count: (others) => overlay.countPeople(others),
  });
  const presence = new Presence(
    space.id,
    scene?.figures ?? null,
    panel,
    () => scene?.eye ?? null,
    (changes) => {
      overlay.canvas.dispatchEvent(new CustomEvent('portico:visitors', { bubbles: true, detail: changes }));
    },
  );
  panel.showName(presence.name);
  joined = {
    setPresence: (on) => {
      panel.showPresence(on);
      overlay.offerPeople(on || isOwner);
      presence.switch(on);
    },
    destroy: () => presence.destroy(),
  };
  joined.setPresence(space.presence);
  return joined;
}
