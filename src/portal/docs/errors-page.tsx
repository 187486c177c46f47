import { escapedText } from '../shell/escaped.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
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

/** A long page: the cells have no attributes, and docs.css puts them in two lines in narrow windows. */
function ErrorIndex({ reasons }: { reasons: readonly ErrorReason[] }) {
  return (
    <ScrollingTable label="All codes" class="codes">
      <thead>
        <tr>
          <th>Status</th>
          <th>Code</th>
          <th>Meaning</th>
          <th>Retry?</th>
        </tr>
      </thead>
      <tbody>
        {[...NO_ERRORS, ...reasons.map(rowOf)].map(({ name, path, status, meaning, retry }) => (
          <tr key={name}>
            <td>{status}</td>
            <th>
              <a href={path}>
                <code>{name}</code>
              </a>
            </th>
            <td>
              <WithCode text={meaning} />
            </td>
            <td>{retry}</td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
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
      <pre class="entry">
        {/* Quotes need no escape in text, and JSON has many. */}
        <code
          id={`entry-${reason}`}
          dangerouslySetInnerHTML={{ __html: escapedText(JSON.stringify(entry, null, 2)) }}
        />
      </pre>
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

/** A link whose text is the cause, or the reason if there is none. */
function Provoke({ example: { code, reason, cause, how, console, first } }: { example: ErrorExample }) {
  const name = cause || reason;
  return (
    <li>
      <strong>{code}</strong> {console ? <a href={console}>{name}</a> : name}: <WithCode text={how} />.
      {!console && ' Takes more than one request, so it has no button.'}
      {first && (
        <>
          {' '}
          First press <em>{first}</em> there.
        </>
      )}
    </li>
  );
}
