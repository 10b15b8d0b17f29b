// The console says in its language what a job does.

import assert from 'node:assert/strict';
import { test } from 'vitest';

globalThis.localStorage = { setItem() {} };
globalThis.document = { documentElement: {} };

const { setLanguage } = await import('./i18n.svelte.ts');
const { jobText } = await import('./jobtext.ts');

const processing = (message, step) => ({ status: 'PROCESSING', message, step });
const MB = 1e6;

const zipStep = { name: 'EXTRACTING_ZIP', done: 120, total: 4800, unit: 'FILES' };
const readStep = { name: 'READING_FILE', done: 12 * MB, total: 1200 * MB, unit: 'BYTES' };

const texts = [
  [{ status: 'QUEUED', message: 'Waiting to be processed', step: null }, 'Waiting to be processed', 'Wartet'],
  [processing('Processing', null), 'Processing', 'Läuft'],
  [processing('Reading file', { name: 'READING_FILE', done: 0, total: 0, unit: null }), 'Reading the file', 'Datei wird gelesen'],
  [processing('Reading file: 12 MB of 1.20 GB', readStep), 'Reading the file: 12 MB of 1.2 GB', 'Datei wird gelesen: 12 MB von 1,2 GB'],
  [
    processing('Extracting zip: 120 of 4800 files', zipStep),
    'Unpacking the zip: 120 of 4,800 files',
    'Zip wird ausgepackt: 120 von 4.800 Dateien',
  ],
  [
    processing('Converting: encoding level 1, chunk 3 of 9', { name: 'CONVERTING', done: 41, total: 100, unit: 'PERCENT' }),
    'Converting: 41%',
    'Aufnahme wird umgewandelt: 41 %',
  ],
  // A step that a newer server has added.
  [processing('Weighing the capture', { name: 'WEIGHING', done: 0, total: 0, unit: null }), 'Weighing the capture', 'Weighing the capture'],
  // The message of an older server, which has no step.
  [processing('Storing the result: 3 of 7 files', null), 'Storing the result: 3 of 7 files', 'Läuft'],
  [
    { status: 'COMPLETED', message: 'Completed. The file is damaged and may not be viewable: it is cut off', step: null },
    'Completed. The file is damaged and may not be viewable: it is cut off',
    'Fertig',
  ],
  [{ status: 'FAILED', message: 'Failed', step: null }, 'Failed', 'Fehlgeschlagen'],
];

test('a job has its step and its figures in the language', async () => {
  for (const [column, language] of ['en', 'de'].entries()) {
    await setLanguage(language);
    for (const [job, ...wanted] of texts) assert.equal(jobText(job).replaceAll('\u00a0', ' '), wanted[column]);
  }
});
