import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const FIXTURE = new URL('../../src/privacy/fixtures/card-spellings.json', import.meta.url);

/** Card numbers in every spelling that the guard knows (decision 0027). */
export const SPELLINGS = (
  JSON.parse(readFileSync(FIXTURE, 'utf8')) as {
    readonly card_numbers: readonly { readonly name: string; readonly text: string }[];
  }
).card_numbers;

/** What to search for: these numbers and those of SPELLINGS, as they are, as JSON, encoded for a URL, and as digits. */
export function cardTexts(more: readonly string[]): readonly string[] {
  const texts = [...more, ...SPELLINGS.map(({ text }) => text)].flatMap((text) => {
    const digits = text.replace(/\D/g, '');
    return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), ...(digits.length < 12 ? [] : [digits])];
  });
  // grep reads one text per line.
  return texts.filter((text) => !/[\n\0]/.test(text));
}

/** The files below some folders that contain one of the texts, byte by byte. Throws if one can't be read. */
export function filesWith(texts: readonly string[], folders: readonly string[]): readonly string[] {
  const { stdout, stderr } = spawnSync('grep', ['-rlaF', '-f', '-', ...folders], {
    encoding: 'utf8',
    input: `${texts.join('\n')}\n`,
    env: { ...process.env, LC_ALL: 'C' },
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n').filter((file) => file !== '');
}
