// The console says in its language what a job does.

import assert from 'node:assert/strict';
import test from 'node:test';
import { source } from './source.mjs';

globalThis.$state = Object.assign((value) => value, { raw: (value) => value });
globalThis.localStorage = { setItem() {} };
globalThis.document = { documentElement: {} };

const { setLanguage } = await source('console/i18n.svelte.ts');
const { jobText } = await source('console/detail.ts');

const texts = [
  ['Waiting to be processed', 'Wartet'],
  ['Processing', 'Läuft'],
  ['Reading file', 'Datei wird gelesen'],
  ['Reading file: 12 MB of 1.20 GB', 'Datei wird gelesen: 12 MB / 1.20 GB'],
  ['Checking file: 12 MB of 300 MB', 'Datei wird geprüft: 12 MB / 300 MB'],
  ['Checking zip: 3 of 7 files', 'Zip wird geprüft: 3 / 7'],
  ['Extracting zip: 3 of 7 files', 'Zip wird ausgepackt: 3 / 7'],
  ['Taking the capture out of the page: 1 MB of 3 MB', 'Aufnahme wird aus der Seite geholt: 1 MB / 3 MB'],
  ['Converting: encoding level 1, chunk 3 of 9', 'Aufnahme wird umgewandelt: 3 / 9'],
  ['Converting: drawing the turntable: frame 5 of 60', 'Rundumansicht wird gezeichnet: 5 / 60'],
  ['Storing the result: 3 of 7 files', 'Ergebnis wird gespeichert: 3 / 7'],
  ['Completed. The file is damaged and may not be viewable: it is cut off', 'Fertig'],
  ['Failed', 'Fehlgeschlagen'],
];

test('German has the step of a job and its numbers', async () => {
  await setLanguage('de');
  for (const [english, german] of texts) assert.equal(jobText(english), german);
});

test('English has the words of the server', async () => {
  await setLanguage('en');
  for (const [english] of texts) assert.equal(jobText(english), english);
});
