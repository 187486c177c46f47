import type { ComponentChildren } from 'preact';

interface Starter {
  readonly status: string;
  readonly tone: 'good' | 'partial';
  readonly label: string;
  /** What the response will contain. */
  readonly text: string;
  readonly operation: string;
  readonly scenario?: string;
}

/** Whose failure the page offers to simulate; undefined if no supplier can fail. */
function failingOf(suppliers: readonly string[]): string | undefined {
  return suppliers.find((supplier) => supplier === 'bravo') ?? suppliers[0];
}

function startersOf(failing: string | undefined): readonly Starter[] {
  return [
    {
      ...{ status: '200', tone: 'good', label: 'Search cars', operation: 'searchVehicles' },
      text: 'The cheapest cars of all suppliers at Boston airport, a month ahead, each with an offer to book.',
    },
    ...(failing === undefined
      ? []
      : [
          {
            ...({ status: '206', tone: 'partial', label: `Search while ${failing} times out` } as const),
            ...{ operation: 'searchVehicles', scenario: `${failing}=timeout` },
            text: 'The other suppliers’ cars, and an entry that names the missing supplier and why.',
          },
        ]),
    {
      ...{ status: '201', tone: 'good', label: 'Book a car', operation: 'createReservation' },
      text: 'A search finds an offer, then its reservation is made: number, state and price.',
    },
  ];
}

interface StartersProps {
  /** The application that sends; undefined: the visitor can't send yet. */
  readonly application: string | undefined;
  /** Those that can be made to fail. */
  readonly suppliers: readonly string[];
}

/** In place of the response until there is one: what to do first. Each link fills in its request; console.js also sends it. */
export function Starters({ application, suppliers }: StartersProps) {
  const failing = failingOf(suppliers);
  return (
    <section id="starters" class="card" aria-labelledby="starters-title">
      <h2 id="starters-title">No response yet</h2>
      <p>
        {application === undefined
          ? 'Each of these fills in a request. To send it, log in with an account that has an application.'
          : 'Press Send, or begin with one of these. Each is a real request of your application to simulated suppliers.'}
      </p>
      <ol>
        {startersOf(failing).map(({ status, tone, label, text, operation, scenario }, at) => (
          <li key={status}>
            <StarterLink {...{ application, operation, scenario }} isFirst={at === 0}>
              {label}
            </StarterLink>{' '}
            <span class={`badge ${tone}`}>{status}</span>
            <p class="quiet">{text}</p>
          </li>
        ))}
      </ol>
      <p class="quiet">The response appears here: its status, what each supplier did, offers to book, and the body.</p>
    </section>
  );
}

/** After a complete search: the same as the second starter. console.js shows it. */
export function PartialStarter({ application, suppliers }: StartersProps) {
  const failing = failingOf(suppliers);
  if (failing === undefined) return null;
  return (
    <p id="answer-partial" class="actions" hidden>
      <StarterLink application={application} operation="searchVehicles" scenario={`${failing}=timeout`}>
        See a 206
      </StarterLink>
      <span class="hint">Searches again while {failing} times out.</span>
    </p>
  );
}

interface StarterLinkProps extends Pick<StartersProps, 'application'> {
  readonly operation: string;
  readonly scenario?: string | undefined;
  readonly isFirst?: boolean;
  readonly children: ComponentChildren;
}

function StarterLink({ application, operation, scenario, isFirst, children }: StarterLinkProps) {
  return (
    <a
      class={isFirst ? 'button' : 'button second'}
      href={`/console?${new URLSearchParams({ ...(application && { application }), operation, ...(scenario && { scenario }) })}`}
      data-starter={application && operation}
      data-scenario={scenario}
    >
      {children}
    </a>
  );
}
