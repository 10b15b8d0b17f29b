// Sentences of the server in the language of the console: why a delivery failed, and why a webhook
// was disabled. They are English on the server, because programs and the command line show them too.

import { text, type MessageKey } from './i18n.svelte.ts';

/** The sentences that have no variable part. */
const sentences: Readonly<Record<string, MessageKey>> = {
  "The receiver's certificate is not valid": 'detail.certificate',
  'The TLS handshake with the receiver failed. Its port must serve https, with TLS 1.2 or later': 'detail.tls',
  'The receiver cannot be reached: its name has no public address, or nothing answers there': 'detail.unreachable',
  'The server cannot decrypt the secret of the webhook. Replace the secret': 'detail.sealed',
  'The webhook was disabled': 'detail.webhookDisabled',
};

/** Sentences with variable parts, and what they become. A part that has no name here stays as it is. */
const patterns: readonly [RegExp, (...parts: string[]) => string][] = [
  [/^Every attempt failed for too long\. The last error: (.*)$/s, (error = '') => text('detail.failing', { error: detailText(error) })],
  [/^The receiver answered with a redirect \((\d+)\), which is not followed\. Set its final address$/, (status) => text('detail.redirect', { status })],
  [/^The receiver answered (.*)$/s, (status) => text('detail.answered', { status })],
  [/^The receiver did not answer within (\d+)s$/, (seconds) => text('detail.silent', { seconds: Number(seconds) })],
];

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

/** Returns a detail in the language of the console. Titles, names and unknown sentences stay as they are. */
export function detailText(detail: string): string {
  const sentence = sentences[detail];
  if (sentence) return text(sentence);
  for (const [pattern, translate] of patterns) {
    const parts = pattern.exec(detail);
    if (parts) return translate(...parts.slice(1));
  }
  return detail;
}
