// Messages of the form of reports, which only people who report a space load.

import { translator } from '../i18n.ts';
import type { Texts } from '../i18n.ts';
import english from './messages/en.json';

export type ReportKey = keyof typeof english;
export type ReportMessages = (key: ReportKey, values?: Readonly<Record<string, string>>) => string;

const languages = import.meta.glob<{ default: Texts<ReportKey> }>('./messages/*.json');

export async function loadReportMessages(language: string): Promise<ReportMessages> {
  return translator(english, await languages[`./messages/${language}.json`]?.());
}
