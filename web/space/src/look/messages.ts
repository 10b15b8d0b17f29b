// Messages of the fields for the look of a space. Each language is a file in the folder messages beside
// this file; visitors do not load them.

import { translator } from '../i18n.ts';
import type { Texts } from '../i18n.ts';
import english from './messages/en.json';

export type LookKey = keyof typeof english;
export type LookMessages = (key: LookKey, values?: Readonly<Record<string, string>>) => string;

const languages = import.meta.glob<{ default: Texts<LookKey> }>('./messages/*.json');

export async function loadLookMessages(language: string): Promise<LookMessages> {
  return translator(english, await languages[`./messages/${language}.json`]?.());
}
