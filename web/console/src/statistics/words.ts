// The messages of statistics. They are loaded with the parts that show them, so that the first page
// of the console stays small.

import { wordsOf } from '../i18n.svelte.ts';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import ja from './messages/ja.json';
import zh from './messages/zh.json';

export const words = wordsOf<keyof typeof en>({ de, en, es, fr, ja, zh });
