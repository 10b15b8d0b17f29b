// The messages of names and copies. They are loaded with the parts that show them, so that the first page
// of the console stays small.

import { currentLanguage } from '../i18n.svelte.ts';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import ja from './messages/ja.json';
import zh from './messages/zh.json';

const languages: Readonly<Record<ReturnType<typeof currentLanguage>, Readonly<Record<keyof typeof en, string>>>> = {
  de,
  en,
  es,
  fr,
  ja,
  zh,
};

export function words(key: keyof typeof en): string {
  return languages[currentLanguage()][key];
}
