import type { Language } from '../../config/languages.js';
import { german } from './de.js';
import { english } from './en.js';
import { spanish } from './es.js';
import { french } from './fr.js';
import { italian } from './it.js';
import { portuguese } from './pt.js';
import type { Words } from './words.js';

/** The only table of names, by language. */
const WORDS: Readonly<Record<Language, Words>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
};

/** The names of all enumerated values in a language. */
export function wordsIn(language: Language): Words {
  return WORDS[language];
}
