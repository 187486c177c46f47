import { CardTable } from '../shell/card-table.js';
import { CodeBlock } from '../shell/code-tabs.js';
import { Article } from './docs-frame.js';
import type { Heading } from './docs-page.js';
import type { ErrorExample } from './error-examples.js';
import type { ErrorReason } from './error-reasons.js';
import { WithCode } from './linked-text.js';

/** The heading of each reason, for links beside the page. */
export function reasonHeadings(reasons: readonly ErrorReason[]): readonly Heading[] {
  return reasons.map(({ reason, code }) => ({ id: reason, text: `${code} ${reason}`, depth: 2 }));
}

/** docs/errors.md with a table of all codes above its text, and a section for each below it. */
export function ErrorsPage({ html, reasons }: { html: string; reasons: readonly ErrorReason[] }) {
  const text = html.replace(/^<h1[^>]*>.*?<\/h1>/s, '');
  return (
    <>
      <h1 id="errors">Errors</h1>
      <ErrorIndex reasons={reasons} />
      <Article html={text} />
      <ErrorReasons reasons={reasons} />
    </>
  );
}

function ErrorIndex({ reasons }: { reasons: readonly ErrorReason[] }) {
  return (
    <CardTable
      label="All codes"
      columns={[
        { name: 'Code' },
        { name: 'Status', kind: 'number' },
        { name: 'Meaning', kind: 'change' },
        { name: 'Retry?' },
      ]}
      rows={[...NO_ERRORS, ...reasons.map(rowOf)].map(({ name, path, status, meaning, retry }) => ({
        key: name,
        cells: [
          <a href={path}>
            <code>{name}</code>
          </a>,
          status,
          <WithCode text={meaning} />,
          retry,
        ],
      }))}
    />
  );
}

interface IndexRow {
  readonly name: string;
  readonly path: string;
  readonly status: number;
  /** Backticks mark code. */
  readonly meaning: string;
  readonly retry: string;
}

/** Responses that aren't errors, but incomplete. */
const NO_ERRORS: readonly IndexRow[] = [
  {
    name: 'partial result',
    path: '#partial-results',
    status: 206,
    meaning: 'some suppliers failed or have no results; the others’ results are there',
    retry: 'for missing suppliers',
  },
  {
    name: 'pending or unknown',
    path: '/docs/reservations#states',
    status: 202,
    meaning: 'the booking was sent; its outcome isn’t known yet',
    retry: 'no, read it',
  },
];

/** The first meaning: a second one is of a single operation. */
function rowOf({ reason, code, rows: [row] }: ErrorReason): IndexRow {
  return { name: reason, path: `#${reason}`, status: code, meaning: row?.meaning ?? '', retry: row?.retry ?? '' };
}

/** For each reason what it means, an entry that a gateway returned, and how to provoke it. */
function ErrorReasons({ reasons }: { reasons: readonly ErrorReason[] }) {
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
