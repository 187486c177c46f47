import { h } from 'preact';

/** Copies the text of the element with the id `from`. Hidden until portal.js runs. Not JSX, because scripts/docs loads it uncompiled. */
export function CopyButton({ from, label = 'Copy' }: { from: string; label?: string }) {
  return h('button', { type: 'button', class: 'second small', 'data-copy': from, hidden: true }, label);
}
