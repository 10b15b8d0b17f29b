// Messages of the card of a new space, which only its owner loads.

import { translator } from '../i18n.ts';
import type { Texts } from '../i18n.ts';
import english from './messages/en.json';

export type NewSpaceKey = keyof typeof english;
export type NewSpaceMessages = (key: NewSpaceKey, values?: Readonly<Record<string, string>>) => string;

const languages = import.meta.glob<{ default: Texts<NewSpaceKey> }>('./messages/*.json');

export async function loadNewSpaceMessages(language: string): Promise<NewSpaceMessages> {
  return translator(english, await languages[`./messages/${language}.json`]?.());
}
