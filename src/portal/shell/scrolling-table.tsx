import type { ComponentChildren } from 'preact';

/** A table that scrolls by itself where it is wider than the page, by the keyboard, too. `label` is what it is read out as. */
export function ScrollingTable({
  label,
  class: className,
  children,
}: {
  label: string;
  class?: string;
  children: ComponentChildren;
}) {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table class={className}>{children}</table>
    </section>
  );
}
