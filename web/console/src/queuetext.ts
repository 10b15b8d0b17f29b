// The work in the queue, in the language of the console.

import { isKey, text } from './i18n.svelte.ts';

function name(part: string): string {
  const key = `queue.${part}`;
  return isKey(key) ? text(key) : part;
}

/** Returns the kind and the state of work in the queue, in words. */
export function queueText(kind: string, state: string): string {
  return `${name(kind)} · ${name(state)}`;
}
