// Messages of the tool that cleans up captures. Each language is a file in the folder messages beside this file.

import { translator } from '../i18n.ts';
import type { Texts } from '../i18n.ts';
import english from './messages/en.json';

export type CleanKey = keyof typeof english;
export type CleanMessages = (key: CleanKey, values?: Readonly<Record<string, string>>) => string;

const languages = import.meta.glob<{ default: Texts<CleanKey> }>('./messages/*.json');

export async function loadCleanMessages(language: string): Promise<CleanMessages> {
  return translator(english, await languages[`./messages/${language}.json`]?.());
}
