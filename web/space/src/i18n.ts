// Messages for people. Each language is a file in folder messages, named by its code; a
// message that it lacks is shown in English.

import english from './messages/en.json';

export type MessageKey = keyof typeof english;
export type Texts<Key extends string> = Partial<Record<Key, string>>;
type Translator<Key extends string> = (key: Key, values?: Readonly<Record<string, string>>) => string;
export type Messages = Translator<MessageKey>;

const languages = import.meta.glob<{ default: Texts<MessageKey> }>('./messages/*.json');

export async function loadMessages(language: string): Promise<Messages> {
  return translator(english, await languages[`./messages/${language}.json`]?.());
}

/** Returns messages of a file, with another where the file lacks one. */
export function translator<Key extends string>(
  otherwise: Readonly<Record<Key, string>>,
  file: { default: Texts<Key> } | undefined,
): Translator<Key> {
  const texts: Texts<Key> = file?.default ?? {};
  return (key, values = {}) =>
    (texts[key] ?? otherwise[key]).replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}
