// Messages for people. Each language is a file in folder messages, named by its code; a
// message that it lacks is shown in English.

import english from './messages/en.json';

export type MessageKey = keyof typeof english;
export type Messages = (key: MessageKey, values?: Readonly<Record<string, string>>) => string;

const languages = import.meta.glob<{ default: Partial<Record<MessageKey, string>> }>('./messages/*.json');

/** Returns the messages of a language. */
export async function loadMessages(language: string): Promise<Messages> {
  const load = languages[`./messages/${language}.json`];
  const texts = load ? (await load()).default : {};
  return (key, values = {}) =>
    (texts[key] ?? english[key]).replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}
