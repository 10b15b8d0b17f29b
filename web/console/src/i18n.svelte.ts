// Messages for people. A message may have forms for numbers, by the rules of its language:
// key_one, key_many, key_other. A language must have all keys of English, which the compiler checks.

import english from './messages/en.json';

type English = keyof typeof english;
/** Keys of messages with forms for numbers. */
export type CountKey = English extends infer K ? (K extends `${infer Stem}_other` ? Stem : never) : never;
/** Keys of messages that each language has: Japanese and Chinese have no form for one. */
export type MessageKey = Exclude<English, `${CountKey}_one`>;
type Texts = Readonly<Record<MessageKey, string>>;
type Values = Readonly<Record<string, string | number>>;

export function isKey(value: string): value is MessageKey {
  return value in english;
}

/** The languages by their own names. The last four are first drafts by a machine, which their names say. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français (ébauche)',
  es: 'Español (borrador)',
  ja: '日本語（下訳）',
  zh: '中文（初稿）',
} as const;
export type Language = keyof typeof languages;

const load: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: () => Promise.resolve(english),
  de: async () => (await import('./messages/de.json')).default,
  fr: async () => (await import('./messages/fr.json')).default,
  es: async () => (await import('./messages/es.json')).default,
  ja: async () => (await import('./messages/ja.json')).default,
  zh: async () => (await import('./messages/zh.json')).default,
};

let language = $state<Language>('en');
let texts = $state.raw<Texts>(english);

const storageKey = 'portico.language';

/** Returns the language that the person chose, or else the first of the browser's that there is. */
function preferred(): Language {
  for (const tag of [localStorage.getItem(storageKey) ?? '', ...navigator.languages]) {
    const short = tag.slice(0, 2).toLowerCase();
    if (short in languages) return short as Language;
  }
  return 'en';
}

/** Shows the console in a language; without one, in the preferred one. */
export async function setLanguage(chosen?: Language): Promise<void> {
  const next = chosen ?? preferred();
  texts = await load[next]();
  language = next;
  if (chosen) localStorage.setItem(storageKey, chosen);
  document.documentElement.lang = next;
}

export function currentLanguage(): Language {
  return language;
}

function fill(pattern: string, values: Values): string {
  return pattern.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? value.toLocaleString(language) : (value ?? placeholder);
  });
}

/** Returns a message. Numbers are written as the language does. */
export function text(key: MessageKey, values: Values = {}): string {
  return fill(texts[key], values);
}

/** Returns the form of a message for a number, which it names {count}. */
export function count(key: CountKey, number: number): string {
  const forms: Readonly<Record<string, string>> = texts;
  const form = forms[`${key}_${new Intl.PluralRules(language).select(number)}`];
  return fill(form ?? texts[`${key}_other`], { count: number });
}

/** Returns a function for the messages of a part that is loaded when somebody opens it, with its languages. */
export function wordsOf<Key extends string>(all: Readonly<Record<Language, Readonly<Record<Key, string>>>>): (key: Key) => string {
  return (key) => all[language][key];
}
