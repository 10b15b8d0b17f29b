// An upload of the console starts again when the server no longer has it.

import assert from 'node:assert/strict';
import { test } from 'vitest';

const { Upload } = await import('./upload.svelte.ts');

test('an upload that the server drops after each progress starts again three times', () => {
  const upload = new Upload('hall.zip', 10);
  let starts = 0;
  for (upload.advance(10); upload.canRestart && starts < 100; upload.advance(10)) {
    upload.restart();
    upload.tries += 1;
    starts++;
  }
  assert.equal(starts, 3);
});
