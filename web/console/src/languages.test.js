// Every language has each message of the console and of the space, with its values and the forms of its plurals.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'vitest';
import { languages } from './i18n.svelte.ts';

const folders = ['console/src', 'space/src'].flatMap((root) =>
  readdirSync(root, { recursive: true })
    .filter((name) => /(^|\/)messages$/.test(name))
    .map((name) => `${root}/${name}`),
);
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const placeholders = (text) => (text.match(/\{\w+\}/g) ?? []).sort();

test('the folders of messages are found', () => {
  assert.ok(folders.length >= 8, `got ${folders}`);
});

for (const folder of folders) {
  const english = read(`${folder}/en.json`);
  test(`${folder} has a file for each language`, () => {
    assert.deepEqual(
      readdirSync(folder).sort(),
      Object.keys(languages)
        .map((tag) => `${tag}.json`)
        .sort(),
    );
  });
  for (const tag of Object.keys(languages)) {
    test(`${folder}/${tag}.json has each message`, () => {
      const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
      const wanted = {};
      for (const [key, text] of Object.entries(english)) {
        const [, stem, form] = /^(.*)_(one|other)$/.exec(key) ?? [];
        if (!stem) wanted[key] = text;
        else if (form === 'other') for (const form of forms) wanted[`${stem}_${form}`] = text;
      }
      const texts = read(`${folder}/${tag}.json`);
      assert.deepEqual(Object.keys(texts).sort(), Object.keys(wanted).sort());
      for (const [key, text] of Object.entries(texts)) {
        assert.notEqual(text.trim(), '', key);
        assert.deepEqual(placeholders(text), placeholders(wanted[key]), key);
      }
    });
  }
}
