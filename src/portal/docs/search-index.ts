/** A part of a page: everything below one heading. */
export interface SearchSection {
  readonly path: string;
  readonly page: string;
  /** Empty for the beginning of a page. */
  readonly heading: string;
  /** The beginning of its text. */
  readonly excerpt: string;
}

/** What the search reads, made at build time. */
export interface SearchIndex {
  readonly sections: readonly SearchSection[];
  /** By word: for each section that has it, its position times WEIGHTS plus its weight. */
  readonly words: Readonly<Record<string, readonly number[]>>;
}

/** A section with all of its text. */
export type SearchText = Omit<SearchSection, 'excerpt'> & {
  readonly text: string;
  /** Counts a third, because most readers look for something else. */
  readonly isAside?: boolean;
  /** Counts three times, because it answers what most readers look up: errors and limits. */
  readonly isReference?: boolean;
};

/** More than the highest weight. */
const WEIGHTS = 32;
const EXCERPT = 120;
const IN_PAGE = 12;
/** How much a name of two words, such as Retry-After, counts more than its words. */
const AS_NAME = 5;
const IN_HEADING = 6;
const MOST_IN_TEXT = 3;
const MOST_WORDS = 8;
const MOST_RESULTS = 20;
const MOST_QUERY = 200;
/** Words that are in almost every text. */
const COMMON = new Set(
  'a an and are as at be by can do for from has have if in is it its no not of on or so such than that the their then there they this to was which with you your'.split(
    ' ',
  ),
);

/** Makes the index of these sections. Titles and headings count more than text. */
export function buildIndex(sections: readonly SearchText[]): SearchIndex {
  const words: Record<string, number[]> = Object.create(null) as Record<string, number[]>;
  sections.forEach(({ page, heading, text, isAside = false, isReference = false }, position) => {
    const weights = new Map<string, number>();
    const add = (word: string, weight: number): unknown => weights.set(word, (weights.get(word) ?? 0) + weight);
    const counts = new Map<string, number>();
    for (const word of [...wordsOf(text), ...namesIn(text)]) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) add(word, Math.min(count, MOST_IN_TEXT));
    for (const word of new Set(wordsOf(heading))) add(word, IN_HEADING);
    for (const word of new Set(wordsOf(page))) add(word, heading === '' ? IN_PAGE : 1);
    for (const [word, weight] of weights) {
      words[word] ??= [];
      const counted = isReference ? Math.min(weight * 3, WEIGHTS - 1) : isAside ? Math.ceil(weight / 3) : weight;
      words[word].push(position * WEIGHTS + counted);
    }
  });
  return {
    sections: sections.map(({ path, page, heading, text }) => ({ path, page, heading, excerpt: excerptOf(text) })),
    words,
  };
}

/** The sections that have every word of the query, or one that begins with it; the best first. Empty for an empty query. */
export function findSections({ sections, words }: SearchIndex, query: string): readonly SearchSection[] {
  const asked = [...new Set(wordsOf(query.slice(0, MOST_QUERY)))].slice(0, MOST_WORDS);
  const known = Object.keys(words);
  const scores = asked.map((word) => scoresOf(words, known, word));
  const [first, ...others] = scores;
  const names = asked.slice(1).map((word, before) => exactScores(words[`${asked[before]}${word}`]));
  return [...(first ?? [])]
    .filter(([position]) => others.every((score) => score.has(position)))
    .map(([position]) => ({ position, score: sumAt(scores, position) + AS_NAME * sumAt(names, position) }))
    .sort((one, other) => other.score - one.score || one.position - other.position)
    .slice(0, MOST_RESULTS)
    .flatMap(({ position }) => sections[position] ?? []);
}

function exactScores(places: readonly number[] = []): ReadonlyMap<number, number> {
  return new Map(places.map((place) => [Math.floor(place / WEIGHTS), place % WEIGHTS]));
}

function sumAt(scores: readonly ReadonlyMap<number, number>[], position: number): number {
  return scores.reduce((sum, score) => sum + (score.get(position) ?? 0), 0);
}

/** Names of two words with a hyphen, in one word: `retryafter` of Retry-After. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/[\p{L}\p{N}_-]+/gu)].flatMap(([name]) => {
    const [one, other, ...more] = name.split('-');
    const words = one && other && more.length === 0 && !name.includes('_') ? wordsOf(name) : [];
    return words.length === 2 ? [words.join('')] : [];
  });
}

/** The score of each section for one word; `known` are all words. A word that only begins with it counts half. */
function scoresOf(words: SearchIndex['words'], known: readonly string[], asked: string): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  for (const word of known) {
    if (!word.startsWith(asked)) continue;
    for (const place of words[word] ?? []) {
      const position = Math.floor(place / WEIGHTS);
      const weight = place % WEIGHTS;
      const score = word === asked ? weight : weight / 2;
      scores.set(position, Math.max(scores.get(position) ?? 0, score));
    }
  }
  return scores;
}

/** The words of a text in lowercase and without a plural s. A name such as `price_changed` or `searchVehicles` is a word, and so are its parts. */
export function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(([word]) => {
    const parts = word.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2').split('_');
    const all = parts.length > 1 ? [word, ...parts] : [word];
    return all.map((part) => stemOf(part.toLowerCase())).filter((part) => part.length > 1 && !COMMON.has(part));
  });
}

function stemOf(word: string): string {
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function excerptOf(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length <= EXCERPT ? flat : `${flat.slice(0, EXCERPT).replace(/\s\S*$/, '')} …`;
}
