import type { ComponentChildren } from 'preact';

/** A table that scrolls on its own if it is wider than the page, including by keyboard. Screen readers announce `label`. */
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
