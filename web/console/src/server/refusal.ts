// Refusals in words that say what to do, by the code and the reason of an error.

import { CombinedError } from '@urql/core';
import { isTooLarge, Refused } from 'portico-upload/send.ts';
import { isKey, text, type MessageKey } from '../i18n.svelte.ts';
import { retryAfter } from './retryafter.ts';
import { sentenceText } from '../sentences.svelte.ts';

export interface Refusal {
  readonly code: string;
  readonly reason: string;
  readonly message: string;
  /** The key of the message, for what is shown after a change of the language; undefined for sentences of the server. */
  readonly key?: MessageKey | undefined;
  /** The seconds after which to try again; 0 where that does not help. */
  readonly retryAfter: number;
}

/** What went wrong in the browser. It is shown in the language that the console has at that time. */
export class LocalFailure extends Error {
  constructor(readonly key: MessageKey) {
    super(key);
  }
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof LocalFailure) {
    return { code: '', reason: '', message: text(error.key), key: error.key, retryAfter: 0 };
  }
  if (isTooLarge(error)) return { code: '', reason: '', message: text('upload.proxyLimit'), key: 'upload.proxyLimit', retryAfter: 0 };
  if (error instanceof Refused && !error.message) {
    return {
      code: '',
      reason: '',
      message: text('upload.refused', { status: String(error.status) }),
      key: 'upload.refused',
      retryAfter: 0,
    };
  }
  if (!(error instanceof CombinedError)) {
    return { code: '', reason: '', message: error instanceof Error ? error.message : String(error), retryAfter: 0 };
  }
  const [first] = error.graphQLErrors;
  if (!first) return { code: 'NETWORK', reason: '', message: text('refusal.NETWORK'), retryAfter: retryAfter(error) };
  const { code = '', reason = '', field = [] } = first.extensions as { code?: string; reason?: string; field?: readonly string[] };
  const seconds = retryAfter(error);
  const key = keyFor(code, reason);
  const message = key ? text(key, { seconds }) : statementOf(first.message, field);
  return { code, reason, message, key, retryAfter: seconds };
}

/** Returns the words for a reason, or else for a code; undefined if the sentence of the server says more. */
function keyFor(code: string, reason: string): MessageKey | undefined {
  return [`refusal.${reason}`, `refusal.${code}`].find(isKey);
}

/** A sentence that starts with the name of a field: "name must not be empty". */
const aboutField = /^[\w.]+ (.*)$/s;

/** Returns the server's sentence for people: without the name of the field before its colon, which is for programs. */
function statementOf(message: string, field: readonly string[]): string {
  const name = `${field.slice(field[0] === 'input' ? 1 : 0).join('.')}: `;
  let words = sentenceText(message);
  if (words.startsWith(name)) {
    words = words.charAt(name.length).toLocaleUpperCase() + words.slice(name.length + 1);
  } else if (words === message && field.length > 0) {
    const statement = aboutField.exec(message)?.[1] ?? '';
    const translated = sentenceText(statement);
    if (translated !== statement) words = text('refusal.value', { statement: translated });
  }
  return words.endsWith('.') ? words : `${words}.`;
}
