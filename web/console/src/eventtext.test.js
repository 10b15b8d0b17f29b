// The console says in its language what the events of the audit trail have as data.

import assert from 'node:assert/strict';
import { test } from 'vitest';

globalThis.localStorage = { setItem() {} };
globalThis.document = { documentElement: {} };

const { setLanguage } = await import('./i18n.svelte.ts');
const { eventText } = await import('./eventtext.ts');

const nothing = { title: '', reason: null, takedownReason: null, changes: [], detail: '' };
const change = (field, before, after) => ({ field, before, after });

for (const [what, event, english, german] of [
  ['nothing', {}, '', ''],
  ['a title', { title: 'Hall', detail: 'Hall' }, 'Hall', 'Hall'],
  ['a reason', { reason: 'WRONG_CODE', detail: 'Wrong one-time code' }, 'Wrong one-time code', 'Falscher Einmalcode'],
  [
    'a title and a reason',
    { title: 'Hall', reason: 'LATER_EVENTS_DROPPED' },
    'Hall: The daily limit is reached: later events of this kind are not recorded',
    'Hall: Das Tageslimit ist erreicht: Weitere Ereignisse dieser Art werden nicht aufgezeichnet',
  ],
  [
    'a takedown',
    { title: 'Hall', takedownReason: 'SPAM', detail: 'Hall: spam' },
    'Hall: Advertising or deception',
    'Hall: Werbung oder Täuschung',
  ],
  [
    'a change of the privacy, with a title that looks like one',
    { title: 'Doors: Public to Private', changes: [change('PRIVACY', 'LINK_ONLY', 'PUBLIC')] },
    'Doors: Public to Private: Link Only → Public',
    'Doors: Public to Private: Nur mit Link → Öffentlich',
  ],
  [
    'changes of the plan and the storage',
    { changes: [change('PLAN', 'FREE', 'PRO'), change('STORAGE', '10000000000', '20000000000')] },
    'Plan: Free → Pro · Storage: 10 GB → 20 GB',
    'Tarif: Free → Pro · Speicher: 10\u00a0GB → 20\u00a0GB',
  ],
  [
    'an event of a newer server, as its English text',
    { title: 'Hall', reason: 'TOO_NEW', detail: 'Hall: Too new' },
    'Hall: Too new',
    'Hall: Too new',
  ],
  [
    'an event from before these fields, as it is',
    { detail: 'Hall: Private to Public' },
    'Hall: Private to Public',
    'Hall: Private to Public',
  ],
]) {
  test(`the console shows ${what}`, async () => {
    await setLanguage('en');
    assert.equal(eventText({ ...nothing, ...event }), english);
    await setLanguage('de');
    assert.equal(eventText({ ...nothing, ...event }), german);
  });
}
