// Messages of annotations and tours, which only spaces with these load.

import { translator } from '../i18n.ts';
import type { Texts } from '../i18n.ts';
import english from './messages/en.json';

export type GuideKey = keyof typeof english;
export type GuideMessages = (key: GuideKey, values?: Readonly<Record<string, string>>) => string;

const languages = import.meta.glob<{ default: Texts<GuideKey> }>('./messages/*.json');

export async function loadGuideMessages(language: string): Promise<GuideMessages> {
  return translator(english, await languages[`./messages/${language}.json`]?.());
}
