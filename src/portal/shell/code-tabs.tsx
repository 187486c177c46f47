import { LANGUAGES } from '../assets/request-code.js';
import { CopyButton } from './copy-button.js';
import { escapedText } from './escaped.js';

interface CodeTabsProps {
  /** Unique on the page; each block of code has the id `<id>-<language>`. */
  readonly id: string;
  /** By language; undefined: a script fills the blocks. */
  readonly code?: Readonly<Record<string, string>>;
}

/** The same request in several languages, one of them shown. Works without scripts; portal.js remembers the choice. */
export function CodeTabs({ id, code }: CodeTabsProps) {
  return (
    <fieldset class="tabs" data-tabs>
      <legend class="hidden">Language of the code</legend>
      {LANGUAGES.map(({ id: language, label }, at) => (
        <label key={language}>
          <input type="radio" name={id} value={language} checked={at === 0} />
          {label}
        </label>
      ))}
      <div>
        {LANGUAGES.map(({ id: language, label }) => (
          <CodeBlock key={language} id={`${id}-${language}`} label={label} code={code?.[language]} />
        ))}
      </div>
    </fieldset>
  );
}

/** A block of code that scrolls on its own, with its copy button inside. */
export function CodeBlock({ id, label, code }: { id: string; label: string; code?: string | undefined }) {
  return (
    <div class="code-block">
      <section tabindex={0} aria-label={label}>
        <pre>
          {/* Quotes need no escape in text, and JSON has many. */}
          <code id={id} dangerouslySetInnerHTML={{ __html: escapedText(code ?? '') }} />
        </pre>
      </section>
      <CopyButton from={id} />
    </div>
  );
}
