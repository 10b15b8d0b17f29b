// The console says in its language why a webhook failed.

import assert from 'node:assert/strict';
import { test } from 'vitest';

globalThis.localStorage = { setItem() {} };
globalThis.document = { documentElement: {} };

const { setLanguage } = await import('../i18n.svelte.ts');
const { disabledText, errorText } = await import('./failure.ts');

const failure = (reason, values) => ({ reason, status: null, seconds: null, ...values });

for (const [delivery, english, german] of [
  [{ failure: null, error: '' }, '', ''],
  [{ failure: null, error: 'The receiver answered 500' }, 'The receiver answered 500', 'The receiver answered 500'],
  [
    { failure: failure('STATUS', { status: 1503 }), error: 'An English text' },
    'The receiver answered with the status 1503',
    'Der Empfänger hat mit dem Status 1503 geantwortet',
  ],
  [
    { failure: failure('TIMEOUT', { seconds: 15 }) },
    'The receiver did not answer within 15 s',
    'Der Empfänger hat nicht innerhalb von 15 s geantwortet',
  ],
  [{ failure: failure('NEWER'), error: 'Of a newer server' }, 'Of a newer server', 'Of a newer server'],
  [{ failure: failure('DISABLED') }, 'The webhook was disabled', 'Der Webhook wurde abgeschaltet'],
]) {
  test(`the console shows why a delivery failed: ${english}`, async () => {
    await setLanguage('en');
    assert.equal(errorText(delivery), english);
    await setLanguage('de');
    assert.equal(errorText(delivery), german);
  });
}

for (const [webhook, german] of [
  [{ disabledCause: null, lastFailure: null, disabledReason: '' }, ''],
  [{ disabledCause: null, lastFailure: null, disabledReason: 'The receiver answered 410 Gone' }, 'The receiver answered 410 Gone'],
  [{ disabledCause: 'NEWER', lastFailure: null, disabledReason: 'Of a newer server' }, 'Of a newer server'],
  [
    { disabledCause: 'FAILING', lastFailure: failure('NEWER'), disabledReason: 'Its last error is of a newer server' },
    'Its last error is of a newer server',
  ],
  [{ disabledCause: 'GONE', lastFailure: null }, 'Der Empfänger hat mit 410 Gone geantwortet'],
  [{ disabledCause: 'FULL', lastFailure: null }, 'Zu viele Ereignisse haben auf die Zustellung gewartet'],
  [
    { disabledCause: 'FAILING', lastFailure: failure('TIMEOUT', { seconds: 15 }) },
    'Zu lange ist jeder Versuch gescheitert. Der letzte Fehler: Der Empfänger hat nicht innerhalb von 15 s geantwortet',
  ],
]) {
  test(`the console shows in German why a webhook was disabled: ${german}`, async () => {
    await setLanguage('de');
    assert.equal(disabledText(webhook), german);
  });
}
