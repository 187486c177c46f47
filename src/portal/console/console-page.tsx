import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import { assetPath } from '../shell/assets.js';
import { CodeTabs } from '../shell/code-tabs.js';
import { type Page, page } from '../shell/page.js';
import type { ApiOperation } from './api-operations.js';
import { NEXT_STEPS } from './examples.js';
import { OperationForm, SharedHeaders } from './operation-form.js';
import { ScenarioExamples, ScenarioPicker } from './scenario-picker.js';
import { PartialStarter, Starters } from './starters.js';

/** The data of the console page. */
export interface ConsoleFacts {
  readonly visitor: Visitor | undefined;
  readonly operations: readonly ApiOperation[];
  /** API products, by the beginning of their paths. */
  readonly products: readonly { readonly id: string; readonly path: string }[];
  /** Supplier ids, in call order. */
  readonly suppliers: readonly string[];
  /** The visitor's applications; empty for anonymous visitors. */
  readonly applications: readonly OwnApplication[];
  /** In production nothing can be sent, because it would book real cars. */
  readonly isProduction: boolean;
  /** The initial selection. */
  readonly chosen: {
    readonly operation: ApiOperation;
    readonly application: OwnApplication | undefined;
    readonly scenario: string;
    readonly authorization: string;
    /** Values of path, query and header fields by name, for any operation. */
    readonly given: ReadonlyMap<string, string>;
    /** Values of the operation's fields by name, including its body. */
    readonly recipe: ReadonlyMap<string, string>;
    /** Path of this page, to return to after login. */
    readonly path: string;
  };
}

/** Parts of the script; asset names contain a digest, so the page says where they are. */
const MODULES = ['form', 'answer', 'tree', 'state', 'scenario', 'token', 'ids', 'results', 'reservation', 'operations'];

/** The console, where every API operation can be tried. */
export function consolePage(facts: ConsoleFacts): Page {
  const { visitor, operations, suppliers, isProduction, chosen } = facts;
  const sender = isProduction ? undefined : chosen.application;
  return page(
    { title: 'Console', visitor, section: '/console', styles: ['console.css'], scripts: ['console.js'] },
    <>
      <h1>Console</h1>
      <p class="lead">Call any API operation from your browser, just as your application would.</p>
      <noscript>
        <p class="warning">
          Sending requests requires JavaScript. Without it, you can browse the operations here and run the commands in{' '}
          <a href="/docs/getting-started">Getting started</a> in a terminal.
        </p>
      </noscript>
      <WhoSends facts={facts} />
      <div
        class="panes"
        id="console"
        spellcheck={false}
        {...Object.fromEntries(MODULES.map((name) => [`data-${name}`, assetPath(`console-${name}.js`)]))}
        data-code={assetPath('request-code.js')}
      >
        <OperationsList operations={operations} chosen={chosen.operation} />
        <div class="what" id="request" tabIndex={-1}>
          {operations.map((operation, index) => (
            <OperationForm
              key={operation.id}
              operation={operation}
              index={index}
              isShown={operation === chosen.operation}
              given={chosen.given}
              recipe={operation === chosen.operation ? chosen.recipe : new Map()}
              clientId={sender?.clientId}
              application={sender?.id}
              product={facts.products.find(({ path }) => operation.path.startsWith(`${path}/`))?.id}
              missing={missingOf(facts, operation)}
            />
          ))}
          {sender && (
            <>
              <ScenarioPicker suppliers={suppliers} scenario={chosen.scenario} authorization={chosen.authorization} />
              <ScenarioExamples suppliers={suppliers} />
              <SharedHeaders operations={operations} />
              <h2 class="hidden">Code</h2>
              <CodeTabs id="code" />
            </>
          )}
        </div>
        {sender && <AnswerPanel operations={operations} application={sender.id} suppliers={suppliers} />}
        {!isProduction && <Starters application={sender?.id} suppliers={suppliers} />}
      </div>
    </>,
  );
}

/** The next step for a visitor who can't send an operation yet. */
function missingOf({ visitor, applications, isProduction, chosen }: ConsoleFacts, operation: ApiOperation) {
  if (isProduction || applications.length > 0) return undefined;
  if (visitor) return NEW_APPLICATION;
  const path = loginPath(operation === chosen.operation ? chosen.path : `/console?operation=${operation.id}`);
  return { path, label: 'Log in to send' };
}

const NEW_APPLICATION = { path: '/applications/new', label: 'Create an application to send' };

function loginPath(next: string): string {
  return `/login?next=${encodeURIComponent(next)}`;
}

/** Selects the application that sends requests, or explains why none can be sent. */
function WhoSends({ facts: { visitor, applications, isProduction, chosen } }: { facts: ConsoleFacts }) {
  if (isProduction) {
    return (
      <p class="warning">
        This is a production gateway, where bookings are real, so the console can't send requests. Try operations in the
        sandbox, and call this gateway from your own systems.
      </p>
    );
  }
  if (!visitor) {
    return (
      <p class="notice">
        <a href={loginPath(chosen.path)}>Log in</a> to send requests with your own application, or{' '}
        <a href="/signup">sign up</a>. You can browse the operations without an account.
      </p>
    );
  }
  if (applications.length === 0) {
    return (
      <p class="notice">
        You don't have an application yet. <a href={NEW_APPLICATION.path}>Create one</a> and subscribe it to the
        products to send requests.
      </p>
    );
  }
  return (
    <div class="field">
      <label for="application">Application</label>
      <p class="hint" id="application-hint">
        The first request gets an access token for this application. The token stays in this page and counts toward your
        limits; the client secret is never sent to the browser.
      </p>
      <select id="application" aria-describedby="application-hint">
        {applications.map(({ id, name, clientId }) => (
          <option key={id} value={id} data-client-id={clientId} selected={id === chosen.application?.id}>
            {name} ({clientId})
          </option>
        ))}
      </select>
    </div>
  );
}

function OperationsList({ operations, chosen }: { operations: readonly ApiOperation[]; chosen: ApiOperation }) {
  return (
    <nav aria-label="Operations">
      <details id="operations">
        <summary>
          Operation: <b id="operations-chosen">{chosen.summary}</b>
        </summary>
        {[...new Set(operations.map(({ tag }) => tag))].map((tag) => (
          <div key={tag}>
            <p class="quiet">{tag}</p>
            <ul>
              {operations
                .filter((operation) => operation.tag === tag)
                .map(({ id, method, summary }) => (
                  <li key={id}>
                    <a
                      href={`/console?operation=${id}`}
                      data-show={id}
                      aria-current={id === chosen.id ? 'true' : undefined}
                    >
                      <span class="method">{method}</span> {summary}
                    </a>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </details>
    </nav>
  );
}

interface AnswerPanelProps extends Pick<ConsoleFacts, 'operations' | 'suppliers'> {
  /** Id of the application that sends. */
  readonly application: string;
}

/** Filled by console.js, with the most important parts first. */
function AnswerPanel({ operations, application, suppliers }: AnswerPanelProps) {
  const summaries = new Map(operations.map(({ id, summary }) => [id, summary]));
  return (
    <section id="answer" class="card" aria-labelledby="answer-title" tabIndex={-1} hidden>
      <h2 id="answer-title">Response</h2>
      <p id="answer-waiting" hidden>
        <span id="answer-elapsed" />{' '}
        <button type="button" class="second" id="answer-cancel">
          Cancel
        </button>
      </p>
      <div id="answer-content">
        <p role="status">
          <span id="answer-status" class="badge" />{' '}
          <span id="answer-replayed" class="badge" hidden>
            Replayed
          </span>{' '}
          <span id="answer-timing" />{' '}
          <a id="answer-explain" href="/logs">
            Explain this request
          </a>
        </p>
        <PartialStarter application={application} suppliers={suppliers} />
        <div id="answer-reservation" hidden />
        <ResultTable id="answer-entries" caption="Status entries" columns={['Code', 'Reason', 'Source', 'Details']} />
        <ResultTable
          id="answer-suppliers"
          caption="Suppliers"
          columns={['Supplier', 'Outcome', 'Offers', 'Time (ms)']}
        />
        <ResultTable id="answer-offers" caption="Offers" columns={['Car', 'Brand', 'Total', 'Action']} />
        {Object.entries(NEXT_STEPS).map(([id, steps]) => (
          <p key={id} class="actions" data-next={id} hidden>
            Next steps:
            {steps.map((step) => (
              <a key={step} href={`/console?operation=${step}`} data-show={step}>
                {summaries.get(step)}
              </a>
            ))}
          </p>
        ))}
        <p id="answer-subscribe" class="actions" hidden>
          <button type="button">Subscribe and send again</button>
          <span class="hint">Subscribes the application to this product.</span>
        </p>
        <details>
          <summary>Headers</summary>
          <pre id="answer-headers" />
        </details>
        <div class="actions" id="answer-tools">
          <label class="hidden" for="answer-find">
            Find in the response
          </label>
          <input id="answer-find" type="search" placeholder="Find" autocomplete="off" />
          <span id="answer-found" role="status" />
          <button type="button" class="second small" id="answer-copy">
            Copy
          </button>
          <button type="button" class="second small" id="answer-expand">
            Expand
          </button>
          <button type="button" class="second small" id="answer-collapse">
            Collapse
          </button>
          <label>
            <input type="checkbox" id="answer-raw" /> Raw
          </label>
        </div>
        <section id="answer-tree" class="json" aria-label="Body" tabindex={0} />
        <section id="answer-text" aria-label="Body as text" tabindex={0} hidden>
          <pre id="answer-body" />
        </section>
      </div>
      <details>
        <summary>Last requests</summary>
        <ol id="answer-history" reversed />
      </details>
    </section>
  );
}

function ResultTable({ id, caption, columns }: { id: string; caption: string; columns: readonly string[] }) {
  return (
    <table id={id} class="cards" hidden>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody />
    </table>
  );
}
