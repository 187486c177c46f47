/** Copies the text of the element with the id `from`. Without scripts there is none: portal.js shows it. */
export function CopyButton({ from, label = 'Copy' }: { from: string; label?: string }) {
  return (
    <button type="button" class="second small" data-copy={from} hidden>
      {label}
    </button>
  );
}
