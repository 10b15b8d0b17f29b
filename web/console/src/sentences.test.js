// The console says in German what the server says in English.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test } from 'vitest';

globalThis.localStorage = { setItem() {} };
globalThis.document = { documentElement: {} };

const { setLanguage } = await import('./i18n.svelte.ts');
const { sentenceText } = await import('./sentences.svelte.ts');
const { formatName } = await import('./views/filefacts.ts');

await setLanguage('de');
sentenceText(''); // loads the sentences
while (sentenceText('Storage quota exceeded') === 'Storage quota exceeded') await settled();

const fault = '"hall.ply" is cut off: it ends within its PLY header. Copy or download it again and upload the whole file.';
const germanFault =
  '"hall.ply" ist abgeschnitten: sie endet im PLY-Kopf. ' +
  'Kopieren Sie sie noch einmal, oder laden Sie sie noch einmal herunter, und laden Sie dann die ganze Datei hoch.';

for (const [what, english, german] of [
  ['the fault of a file', fault, germanFault],
  [
    'the warning of a damaged file, with its fault',
    `The file is damaged and may not be viewable: ${fault}`,
    `Die Datei ist beschädigt und vielleicht nicht anzusehen: ${germanFault}`,
  ],
  ['an unknown sentence as it is', 'The moon is made of cheese.', 'The moon is made of cheese.'],
]) {
  test(`the console translates ${what}`, () => {
    assert.equal(sentenceText(english), german);
  });
}

test('the console translates the warning of a zip', () => {
  assert.match(
    sentenceText(
      'The file is a zip without a manifest that viewers know (.lcc2, .lcc, lod-meta.json, meta.json or .gltf) and ' +
        'not of one capture, so it cannot be viewed. Upload a zip with a manifest or one capture',
    ),
    /^Die Datei ist ein Zip ohne ein Manifest/,
  );
});

test('the console translates the name of a format', () => {
  assert.equal(formatName({ __typename: 'GaussianFacts', format: 'COMPRESSED_PLY' }), 'Komprimiertes PLY');
});
