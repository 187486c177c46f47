/** The languages of the words for enumerated values; the first is the default. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt'] as const;

export type Language = (typeof LANGUAGES)[number];
