// What an event of the audit trail says besides its type, in the language of the console.

import type { accountQuery } from './account/documents.ts';
import { size } from './format.ts';
import { isKey, text } from './i18n.svelte.ts';
import type { ResultOf } from './server/graphql.ts';

type Entry = NonNullable<NonNullable<ResultOf<typeof accountQuery>['viewer']>['securityEvents']>['nodes'][number];

/** The fields of an event that its text is made from. */
export type EventFields = Pick<Entry, 'title' | 'reason' | 'takedownReason' | 'changes' | 'detail'>;

/**
 * Returns the title of an event, and after it the reason or the changes. Titles stay as they are,
 * and so do events that have only an English text or a reason that a newer server has added.
 */
export function eventText({ title, reason, takedownReason, changes, detail }: EventFields): string {
  const note = noteText({ reason, takedownReason, changes });
  return note === undefined ? detail : [title, note].filter(Boolean).join(': ') || detail;
}

/** Returns the reason or the changes; undefined for a reason without a text. */
function noteText({ reason, takedownReason, changes }: Pick<EventFields, 'reason' | 'takedownReason' | 'changes'>): string | undefined {
  if (!reason && !takedownReason) return changes.map(changeText).join(' · ');
  const key = reason ? `reason.${reason}` : `report.${takedownReason}`;
  return isKey(key) ? text(key) : undefined;
}

function changeText({ field, before, after }: EventFields['changes'][number]): string {
  switch (field) {
    case 'PRIVACY':
      return `${privacy(before)} → ${privacy(after)}`;
    case 'PLAN':
      return `${text('account.plan')}: ${plan(before)} → ${plan(after)}`;
    case 'STORAGE':
      return `${text('operator.storage')}: ${size(Number(before))} → ${size(Number(after))}`;
  }
}

function privacy(value: string): string {
  const key = `privacy.${value}`;
  return isKey(key) ? text(key) : value;
}

function plan(value: string): string {
  return value === 'PRO' ? 'Pro' : 'Free';
}
