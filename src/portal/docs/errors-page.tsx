import { CodeBlock } from '../shell/code-tabs.js';
import type { Heading } from './docs-page.js';
import type { ErrorExample } from './error-examples.js';
import type { ErrorReason } from './error-reasons.js';
import { WithCode } from './linked-text.js';

/** The heading of each reason, for links beside the page. */
export function reasonHeadings(reasons: readonly ErrorReason[]): readonly Heading[] {
  return reasons.map(({ reason, code }) => ({ id: reason, text: `${code} ${reason}`, depth: 2 }));
}

/** Below docs/errors.md: for each reason what it means, an entry that a gateway returned, and how to provoke it. */
export function ErrorReasons({ reasons }: { reasons: readonly ErrorReason[] }) {
  return (
    <>
      {reasons.map((facts) => (
        <Reason key={facts.reason} facts={facts} />
      ))}
    </>
  );
}

function Reason({ facts: { reason, code, rows, causes, entry, examples } }: { facts: ErrorReason }) {
  return (
    <section aria-labelledby={reason}>
      <h2 id={reason}>
        {code} {reason}
      </h2>
      {rows.map(({ meaning, next }) => (
        <p key={meaning}>
          <WithCode text={`${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`} /> <WithCode text={next} />
        </p>
      ))}
      {causes.length > 0 && (
        <dl class="causes">
          {causes.map(({ cause, did, next }) => (
            <div key={cause}>
              <dt>
                <code>{cause}</code>
              </dt>
              <dd>
                The supplier {did}. {next}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <CodeBlock id={`entry-${reason}`} label={`An entry with ${reason}`} code={JSON.stringify(entry, null, 2)} />
      {examples.length > 0 && (
        <details>
          <summary>Provoke it{examples.length > 1 ? `: ${examples.length} ways` : ''}</summary>
          <ul class="provoke">
            {examples.map((example) => (
              <Provoke key={example.how} example={example} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Provoke({ example: { code, reason, cause, how, console, first } }: { example: ErrorExample }) {
  return (
    <li>
      <p>
        <strong>{code}</strong> {cause && `cause ${cause}: `}
        <WithCode text={how} />
      </p>
      {console ? (
        <p>
          <a href={console} data-code={code} data-reason={reason} data-cause={cause}>
            Provoke {code} {cause || reason}
          </a>
          {first && (
            <>
              {' '}
              First press <em>{first}</em> there.
            </>
          )}
        </p>
      ) : (
        <p class="quiet">Takes more than one request, so it has no button.</p>
      )}
    </li>
  );
}
