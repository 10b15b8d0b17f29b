// The keys of the editor.

import { parts } from './fields.ts';
import type { Part } from './fields.ts';

export interface KeyActions {
  undo(): void;
  redo(): void;
  duplicate(): void;
  delete(): void;
  ground(): void;
  look(): void;
  mode(part: Part): void;
  deselect(): void;
}

/**
 * Listens for keys until the signal aborts. Those without Ctrl or Cmd work only while the view
 * has the focus, so that they do not disturb people who type or use speech control.
 */
export function listenForKeys(scene: HTMLElement, canvas: HTMLElement, actions: KeyActions, signal: AbortSignal): void {
  window.addEventListener(
    'keydown',
    (event) => {
      const here = document.activeElement === document.body || scene.contains(document.activeElement);
      if (!here || event.altKey || scene.querySelector('dialog')) return;
      const action =
        event.ctrlKey || event.metaKey
          ? withControl(event, actions)
          : document.activeElement === canvas
            ? plainAction(event, actions)
            : null;
      if (!action) return;
      event.preventDefault();
      action();
    },
    { signal },
  );
}

function withControl(event: KeyboardEvent, actions: KeyActions): (() => void) | null {
  switch (event.key.toLowerCase()) {
    case 'z':
      return () => (event.shiftKey ? actions.redo() : actions.undo());
    case 'y':
      return () => actions.redo();
    case 'd':
      return () => actions.duplicate();
    default:
      return null;
  }
}

function plainAction(event: KeyboardEvent, actions: KeyActions): (() => void) | null {
  const part = parts[['Digit1', 'Digit2', 'Digit3'].indexOf(event.code)];
  if (part) return () => actions.mode(part);
  switch (event.key) {
    case 'Delete':
    case 'Backspace':
      return () => actions.delete();
    case 'g':
      return () => actions.ground();
    case 'f':
      return () => actions.look();
    case 'Escape':
      return () => actions.deselect();
    default:
      return null;
  }
}
