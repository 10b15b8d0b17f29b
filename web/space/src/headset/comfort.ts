// The options for moving with a headset, which the browser stores.

import type { Messages } from '../i18n.ts';
import { element } from '../ui/elements.ts';

export interface Comfort {
  /** Walk with the left stick. Without it, visitors go by pointing alone. */
  stick: boolean;
  /** Turn at a constant speed instead of in steps. */
  smoothTurn: boolean;
}

const storageKey = 'portico-headset';

/** Reads the options. With reduced motion, the default is to move by jumps and to turn by steps only. */
export function readComfort(reducedMotion: boolean): Comfort {
  const otherwise = { stick: !reducedMotion, smoothTurn: false };
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Record<keyof Comfort, unknown>>;
    return { stick: readFlag(kept.stick, otherwise.stick), smoothTurn: readFlag(kept.smoothTurn, otherwise.smoothTurn) };
  } catch {
    return otherwise; // storage that is blocked, or not of this page
  }
}

function readFlag(value: unknown, otherwise: boolean): boolean {
  return typeof value === 'boolean' ? value : otherwise;
}

/** Returns the fields that change the options. */
export function comfortFields(comfort: Comfort, messages: Messages): HTMLElement {
  const field = (name: keyof Comfort): HTMLElement => {
    const box = element('input', { type: 'checkbox' });
    box.checked = comfort[name];
    box.addEventListener('change', () => {
      comfort[name] = box.checked;
      try {
        localStorage.setItem(storageKey, JSON.stringify(comfort));
      } catch {
        // It is valid for this visit.
      }
    });
    return element('label', { class: 'check' }, box, messages(name));
  };
  return element('fieldset', {}, element('legend', {}, messages('headset')), field('stick'), field('smoothTurn'));
}
