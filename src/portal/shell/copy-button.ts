import { h } from 'preact';

/** Copies the text of the element with the id `from`. Without scripts there is none: portal.js shows it. Not JSX: scripts/docs loads it without a compiler. */
export function CopyButton({ from, label = 'Copy' }: { from: string; label?: string }) {
  return h('button', { type: 'button', class: 'second small', 'data-copy': from, hidden: true }, label);
}
