// What to do first, for who has never been here.

import type { MessageKey } from '../i18n.ts';
import { remember, remembered } from '../remembered.ts';
import type { Mode } from '../view.ts';
import { element } from './elements.ts';

/** How long the hint stays for somebody who does nothing, in milliseconds. */
const delay = 15_000;

/** Returns the message that says how to move by this mode. */
export function hintFor(mode: Mode, byTouch: boolean): MessageKey {
  if (mode === 'orbit') return byTouch ? 'hintOrbitTouch' : 'hintOrbit';
  if (mode === 'fly') return byTouch ? 'hintFlyTouch' : 'hintFly';
  return byTouch ? 'hintWalkTouch' : 'hintWalk';
}

/** Shows a hint until the visitor does something in the scene; null if this browser has shown one before. */
export function makeHint(scene: HTMLElement, line: string): HTMLElement | null {
  if (remembered('hint') !== null) return null;
  const hint = element('p', { class: 'hint', role: 'status' }, line);
  const done = new AbortController();
  const end = (): void => {
    remember('hint', 'seen');
    hint.remove();
    done.abort();
  };
  for (const event of ['pointerdown', 'keydown', 'wheel']) {
    (event === 'keydown' ? window : scene).addEventListener(event, end, { signal: done.signal, passive: true });
  }
  window.setTimeout(end, delay);
  return hint;
}
