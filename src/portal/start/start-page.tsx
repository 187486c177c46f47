import type { StatusReport } from '../../incidents/status-report.schema.js';
import type { RequestRecord } from '../../records/request-record.js';
import { CodeBlock } from '../shell/code-tabs.js';
import { Moment } from '../shell/moment.js';
import { type Page, page } from '../shell/page.js';
import { explanation } from '../usage/explanation.js';
import { Waterfall } from '../usage/waterfall.js';
import { ms } from '../usage/words.js';

/** While the example is made, browsers reload the page. */
const RELOAD_AFTER_SECONDS = '2';

/** What the front page shows. */
export interface FrontFacts {
  /** The origin of this gateway, for the commands. */
  readonly origin: string;
  /** In production, bookings are real, no failure is simulated, and applications come from access requests in the sandbox. */
  readonly isProduction: boolean;
  /** A partial response that was really sent; undefined: none is kept. */
  readonly example: RequestRecord | undefined;
  /** Whether there is no example yet, but will be in seconds. */
  readonly isComing: boolean;
  readonly status: StatusReport;
  readonly nameOf: (supplier: string) => string;
}

/** The front page: what Forecourt is, a real partial response, the first commands, the suppliers' states, and where to go on. */
export function startPage(facts: FrontFacts): Page {
  return page(
    {
      title: 'One API over many car-rental suppliers',
      visitor: undefined,
      section: '/',
      styles: ['usage.css', 'start.css'],
      ...(facts.isComing ? { headers: { refresh: RELOAD_AFTER_SECONDS } } : {}),
    },
    <>
      <section class="hero">
        <h1>One API over many car-rental suppliers</h1>
        <p class="lead">
          Forecourt is an open-source gateway: one call searches every supplier, and the response reports honestly which
          of them failed and why. The same booking request never books twice.
        </p>
        {facts.isProduction ? <ProductionActions /> : <SandboxActions />}
      </section>
      {facts.example && <Example record={facts.example} nameOf={facts.nameOf} />}
      {facts.isComing && (
        <p class="card">
          For this page, a search is running in which one supplier fails. The page reloads in a moment.
        </p>
      )}
      {facts.isProduction ? <ProductionCommands origin={facts.origin} /> : <Commands origin={facts.origin} />}
      <Suppliers status={facts.status} />
    </>,
  );
}

function SandboxActions() {
  return (
    <p class="actions">
      <a class="button" href="/signup">
        Get credentials
      </a>
      <a href="/docs/getting-started">Read how to start</a>
    </p>
  );
}

function ProductionActions() {
  return (
    <>
      <p>
        This is the production gateway: its bookings are real. Build and test your client in the sandbox, and request
        production access there. Then show the credentials here.
      </p>
      <p class="actions">
        <a class="button" href="/login">
          Log in
        </a>
        <a href="/docs/applications#to-production">How to get production access</a>
      </p>
    </>
  );
}

function Example({ record, nameOf }: { record: RequestRecord; nameOf: FrontFacts['nameOf'] }) {
  return (
    <section aria-labelledby="example">
      <h2 id="example">
        A real search on this gateway <span class="badge partial">{record.status} Partial Content</span>
      </h2>
      <p>
        Sent <Moment at={record.at} />, answered after {ms(record.durationMs)}. {explanation(record, nameOf).join(' ')}{' '}
        The failure was simulated with <code>X-Sandbox-Scenario</code>. Every request of your application is explained
        like this.
      </p>
      <Waterfall record={record} nameOf={nameOf} />
    </section>
  );
}

/** Commands for a token, and for a search with more headers. */
function searchCommands(origin: string, headers: string): string {
  return `TOKEN=$(curl -s "${origin}/oauth/token/v1" \\
  -H "client_id: $CLIENT_ID" -H "client_secret: $CLIENT_SECRET" |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s -i "${origin}/cars/locations/v1/?country_code=US&keyword=boston" \\
  -H "Authorization: Bearer $TOKEN"${headers}`;
}

function ProductionCommands({ origin }: { origin: string }) {
  return (
    <section aria-labelledby="commands">
      <h2 id="commands">Two commands to your first search</h2>
      <CodeBlock id="sample" label="Commands" code={searchCommands(origin, '')} />
      <p class="actions">
        <a href="/docs/operations">API reference</a>
        <a href="/docs/errors">What can fail</a>
      </p>
    </section>
  );
}

function Commands({ origin }: { origin: string }) {
  const text = searchCommands(origin, ' -H "X-Sandbox-Scenario: bravo=timeout"');
  return (
    <section aria-labelledby="commands">
      <h2 id="commands">Two commands to your own 206</h2>
      <CodeBlock id="sample" label="Commands" code={text} />
      <p class="actions">
        <a href="/console">Try it in the console</a>
        <a href="/docs/sandbox">Failures you can simulate</a>
      </p>
    </section>
  );
}

const WORDS = {
  operational: ['Operational', 'good'],
  paused: ['Paused', ''],
  maintenance: ['Maintenance', 'partial'],
  degraded: ['Failing partly', 'partial'],
  down: ['Failing', 'bad'],
} as const satisfies Record<StatusReport['state'], readonly [string, string]>;

function Suppliers({ status: { parts } }: { status: StatusReport }) {
  const suppliers = parts.filter(({ id }) => id.startsWith('supplier:'));
  if (suppliers.length === 0) return null;
  return (
    <section aria-labelledby="suppliers">
      <h2 id="suppliers">Suppliers now</h2>
      <ul class="suppliers">
        {suppliers.map(({ id, name, state }) => (
          <li key={id}>
            {name} <span class={`badge ${WORDS[state][1]}`}>{WORDS[state][0]}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href="/status">Status and uptime of 90 days</a>
      </p>
    </section>
  );
}
