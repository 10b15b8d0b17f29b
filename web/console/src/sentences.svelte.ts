// Sentences of the server about files, jobs and refusals, in the language of the console. The
// server writes them in English, because programs and the command line show them too. The
// translations of a language are loaded with the first sentence that is shown in it.

import { currentLanguage, type Language } from './i18n.svelte.ts';

/** Translations by the English text. {1} is the first value of the text, {2} the second. */
type Sentences = Readonly<Record<string, string>>;

const load: Readonly<Partial<Record<Language, () => Promise<{ default: Sentences }>>>> = {
  de: () => import('./sentences/de.json'),
  fr: () => import('./sentences/fr.json'),
  es: () => import('./sentences/es.json'),
  ja: () => import('./sentences/ja.json'),
  zh: () => import('./sentences/zh.json'),
};

interface Pattern {
  readonly english: RegExp;
  readonly translation: string;
}
interface Table {
  readonly sentences: Sentences;
  readonly patterns: readonly Pattern[];
}

let tables = $state.raw<Readonly<Partial<Record<Language, Table>>>>({});
const requested = new Set<Language>();

const value = /\{(\d)\}/g;

function tableOf(sentences: Sentences): Table {
  const withValues = Object.entries(sentences).filter(([english]) => english.includes('{1}'));
  // A text with more words of its own says more about a sentence.
  const words = (english: string) => english.replace(value, '').length;
  withValues.sort(([a], [b]) => words(b) - words(a));
  const patterns = withValues.map(([english, translation]) => {
    const escaped = english.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(value, '(.+)');
    return { english: new RegExp(`^${escaped}$`, 's'), translation };
  });
  return { sentences, patterns };
}

async function request(language: Language): Promise<void> {
  if (requested.has(language)) return;
  requested.add(language);
  try {
    const found = await load[language]?.();
    if (found) tables = { ...tables, [language]: tableOf(found.default) };
  } catch {
    requested.delete(language); // offline: the next sentence asks again
  }
}

function translate(table: Table, english: string): string {
  const whole = table.sentences[english];
  if (whole) return whole;
  for (const { english: pattern, translation } of table.patterns) {
    const values = pattern.exec(english);
    if (values) return translation.replace(value, (_, index: string) => translateStatement(table, values[Number(index)] ?? ''));
  }
  return english;
}

/** A sentence that starts with the quoted name of a file. */
const aboutFile = /^("(?:[^"\\]|\\.)*"(?:\.\.\.)?) (.*)$/s;

function translateStatement(table: Table, english: string): string {
  const [, file, statement] = aboutFile.exec(english) ?? [];
  return file && statement ? `${file} ${translate(table, statement)}` : translate(table, english);
}

/** Returns a sentence of the server in the language of the console: a statement, and what to do. An unknown one stays as it is. */
export function sentenceText(english: string): string {
  const language = currentLanguage();
  if (!load[language]) return english;
  const table = tables[language];
  if (!table) {
    void request(language);
    return english;
  }
  const end = english.endsWith('.') ? english.lastIndexOf('. ') : -1;
  const advice = table.sentences[english.slice(end + 2, -1)];
  if (end <= 0 || !advice) return translateStatement(table, english);
  const [next, stop] = language === 'ja' || language === 'zh' ? ['。', '。'] : ['. ', '.'];
  return `${translateStatement(table, english.slice(0, end))}${next}${advice}${stop}`;
}
