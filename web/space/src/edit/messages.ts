// Messages of the editor. Each language is a file in the folder messages beside this file, as
// for the rest of the page; visitors do not load them.

import { translator } from '../i18n.ts';
import type { Texts } from '../i18n.ts';
import english from './messages/en.json';

export type EditKey = keyof typeof english;
export type EditMessages = (key: EditKey, values?: Readonly<Record<string, string>>) => string;

const languages = import.meta.glob<{ default: Texts<EditKey> }>('./messages/*.json');

export async function loadEditMessages(language: string): Promise<EditMessages> {
  return translator(english, await languages[`./messages/${language}.json`]?.());
}
