// What went wrong in the browser is shown in the language that the console has when it is shown.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { CombinedError } from '@urql/core';

globalThis.localStorage = { setItem() {} };
globalThis.document = { documentElement: {} };

const { setLanguage } = await import('../i18n.svelte.ts');
const { LocalFailure, refusalOf } = await import('./refusal.ts');

test('a failure in the browser follows the language', async () => {
  await setLanguage('en');
  const failure = new LocalFailure('account.pictureUnreadable');
  const english = refusalOf(failure).message;
  await setLanguage('de');
  const german = refusalOf(failure).message;
  assert.notEqual(german, english);
  assert.match(german, /Bild/);
});

test('only an account without storage has to delete files', async () => {
  await setLanguage('en');
  const refused = (message, reason) =>
    refusalOf(
      new CombinedError({
        graphQLErrors: [{ message, extensions: { code: 'QUOTA_EXCEEDED', ...(reason && { reason }) } }],
      }),
    );
  assert.match(refused('Storage quota exceeded', 'STORAGE_FULL').message, /Delete files/);
  const fullDisk = refused('The server has no storage left for this file');
  assert.equal(fullDisk.message, 'The server has no storage left for this file.');
  assert.equal(fullDisk.key, undefined);
});

test('a file of another format says what can be uploaded', async () => {
  await setLanguage('de');
  const { key } = refusalOf(
    new CombinedError({
      graphQLErrors: [
        {
          message: 'fileName must end in one of .zip',
          extensions: { code: 'INVALID', reason: 'UNSUPPORTED_FORMAT', field: ['input', 'fileName'] },
        },
      ],
    }),
  );
  assert.equal(key, 'refusal.UNSUPPORTED_FORMAT');
});
