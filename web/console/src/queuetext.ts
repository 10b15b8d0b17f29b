// The work in the queue, in the language of the console.

import { text, type MessageKey } from './i18n.svelte.ts';

function name(names: Readonly<Record<string, MessageKey>>, part: string): string {
  const key = names[part];
  return key ? text(key) : part;
}

const queueKinds: Readonly<Record<string, MessageKey>> = {
  'job': 'queue.job', 'preparation': 'queue.preparation', 'view': 'queue.view', 'collision': 'queue.collision', 'webhook': 'queue.webhook',
  'mail': 'queue.mail', 'purge': 'queue.purge', 'queue-indexes': 'queue.indexes', 'sample': 'queue.sample',
};
const queueStates: Readonly<Record<string, MessageKey>> = {
  available: 'queue.available', retryable: 'queue.retryable', running: 'queue.running', scheduled: 'queue.scheduled',
};

/** Returns the kind and the state of work in the queue, in words. */
export function queueText(kind: string, state: string): string { return `${name(queueKinds, kind)} · ${name(queueStates, state)}`; }
