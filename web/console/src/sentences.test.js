// The console says in other languages what the server says in English.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test } from 'vitest';

globalThis.localStorage = { setItem() {} };
globalThis.document = { documentElement: {} };

const { setLanguage } = await import('./i18n.svelte.ts');
const { sentenceText } = await import('./sentences.svelte.ts');
const { formatName } = await import('./views/filefacts.ts');

async function speak(language) {
  await setLanguage(language);
  sentenceText(''); // loads the sentences
  while (sentenceText('Storage quota exceeded') === 'Storage quota exceeded') await settled();
}
await speak('de');

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

for (const [language, wanted] of [
  [
    'fr',
    '"hall.ply" est tronqué\u00a0: il se termine dans son en-tête PLY. Copiez-le ou téléchargez-le de nouveau, et envoyez le fichier entier.',
  ],
  ['es', '"hall.ply" está cortado: termina dentro de su cabecera PLY. Cópialo o descárgalo de nuevo y sube el archivo completo.'],
  [
    'ja',
    '"hall.ply" は途中で切れています：PLY ヘッダーの途中で終わっています。コピーまたはダウンロードし直して、ファイル全体をアップロードしてください。',
  ],
  ['zh', '"hall.ply" 不完整：在其 PLY 头中结束。请重新复制或下载，并上传完整的文件。'],
]) {
  test(`the console speaks ${language}`, async () => {
    await speak(language);
    assert.equal(sentenceText(fault), wanted);
  });
}
