// The console says in its language what a job does.

import assert from 'node:assert/strict';
import test from 'node:test';
import { source } from './source.mjs';

globalThis.$state = Object.assign((value) => value, { raw: (value) => value });
globalThis.localStorage = { setItem() {} };
globalThis.document = { documentElement: {} };

const { setLanguage } = await source('console/i18n.svelte.ts');
const { jobText } = await source('console/jobtext.ts');

const processing = (message, step) => ({ status: 'PROCESSING', message, step });
const MB = 1e6;

const texts = [
  [{ status: 'QUEUED', message: 'Waiting to be processed', step: null }, 'Wartet'],
  [processing('Processing', null), 'Läuft'],
  [processing('Reading file', { name: 'READING_FILE', done: 0, total: 0, unit: null }), 'Datei wird gelesen'],
  [processing('Reading file: 12 MB of 1.20 GB', { name: 'READING_FILE', done: 12 * MB, total: 1200 * MB, unit: 'BYTES' }),
    'Datei wird gelesen: 12 MB / 1,2 GB'],
  [processing('Extracting zip: 120 of 4800 files', { name: 'EXTRACTING_ZIP', done: 120, total: 4800, unit: 'FILES' }),
    'Zip wird ausgepackt: 120 / 4.800'],
  [processing('Converting: encoding level 1, chunk 3 of 9', { name: 'CONVERTING', done: 41, total: 100, unit: 'PERCENT' }),
    'Aufnahme wird umgewandelt: 41 %'],
  // A step that a newer server has added.
  [processing('Weighing the capture', { name: 'WEIGHING', done: 0, total: 0, unit: null }), 'Weighing the capture'],
  // The message of an older server, which has no step.
  [processing('Storing the result: 3 of 7 files', null), 'Läuft'],
  [{ status: 'COMPLETED', message: 'Completed. The file is damaged and may not be viewable: it is cut off', step: null }, 'Fertig'],
  [{ status: 'FAILED', message: 'Failed', step: null }, 'Fehlgeschlagen'],
];

test('German has the step of a job and its figures', async () => {
  await setLanguage('de');
  for (const [job, german] of texts) assert.equal(jobText(job).replaceAll('\u00a0', ' '), german);
});

test('English has the sentence of the server', async () => {
  await setLanguage('en');
  for (const [job] of texts) assert.equal(jobText(job), job.message);
});
