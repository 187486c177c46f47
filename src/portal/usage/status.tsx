import { statusWords } from './words.js';

/** A status code as a badge whose tooltip explains it without relying on color. */
export function Status({ status }: { status: number }) {
  const { tone, text } = statusWords(status);
  return (
    <span class={`badge ${tone}`} title={text}>
      {status}
    </span>
  );
}
