// Messages of the tool that measures. Each language is a file in the folder messages beside this file.

import { translator } from '../i18n.ts';
import type { Texts } from '../i18n.ts';
import english from './messages/en.json';

export type MeasureKey = keyof typeof english;
export type MeasureMessages = (key: MeasureKey, values?: Readonly<Record<string, string>>) => string;

const languages = import.meta.glob<{ default: Texts<MeasureKey> }>('./messages/*.json');

export async function loadMeasureMessages(language: string): Promise<MeasureMessages> {
  return translator(english, await languages[`./messages/${language}.json`]?.());
}
