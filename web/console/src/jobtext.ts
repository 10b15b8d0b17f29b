// What a job does now, in the language of the console. The server sends it twice: as an English
// sentence, and as a step with figures.

import { number, percent, size } from './format.ts';
import { currentLanguage, isKey, text } from './i18n.svelte.ts';
import type { jobRow } from './server/documents.ts';
import type { ResultOf } from './server/graphql.ts';

type Job = Pick<ResultOf<typeof jobRow>, 'status' | 'message' | 'step'>;
type Step = NonNullable<Job['step']>;

/**
 * Returns what a job does now: its step with figures. A step that a newer server has added is shown
 * by its English sentence. A job without a step has its state, or in English the server's sentence,
 * which may say more.
 */
export function jobText({ status, message, step }: Job): string {
  if (!step) return currentLanguage() === 'en' ? message : text(`job.${status}`);
  const key: string = `job.step.${step.name}`;
  if (!isKey(key)) return message;
  const figures = figuresOf(step);
  return figures ? `${text(key)}: ${figures}` : text(key);
}

/** Returns the figures of a step as the language writes them; empty for a step that has none. */
function figuresOf({ done, total, unit }: Step): string {
  switch (unit) {
    case 'BYTES':
      return text('job.bytes', { done: size(done), total: size(total) });
    case 'FILES':
      return text('job.files', { done: number(done), total: number(total) });
    case 'PERCENT':
      return percent(done / total);
    case null:
      return '';
  }
}
