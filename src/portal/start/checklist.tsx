import type { OwnApplication } from '../../auth/own-applications.js';
import type { Milestones } from './milestones.service.js';

interface Step {
  readonly is: keyof Milestones;
  readonly title: string;
  readonly text: string;
  /** `isRun`: the console also sends the request, which must change nothing. */
  readonly link: (id: string) => { readonly path: string; readonly label: string; readonly isRun?: boolean };
}

const inConsole = (id: string, more: Readonly<Record<string, string>>): string =>
  `/console?${new URLSearchParams({ application: id, ...more })}`;

/** In the order in which people take them. */
const STEPS: readonly Step[] = [
  {
    is: 'token',
    title: 'Get an access token',
    text: 'Every call needs one. It is valid for two hours; the console gets its own.',
    link: () => ({ path: '/docs/getting-started', label: 'Get a token with curl' }),
  },
  {
    is: 'ok',
    title: 'Search cars: 200',
    text: 'One call asks every supplier.',
    link: (id) => ({
      path: inConsole(id, { operation: 'searchVehicles' }),
      label: 'Run your first search',
      isRun: true,
    }),
  },
  {
    is: 'partial',
    title: 'See a supplier fail: 206',
    text: 'The other suppliers’ cars arrive, and the response names the one that failed.',
    link: (id) => ({
      path: inConsole(id, { operation: 'searchVehicles', scenario: 'bravo=timeout' }),
      label: 'Search while Bravo times out',
      isRun: true,
    }),
  },
  {
    is: 'booking',
    title: 'Book a car: 201',
    text: 'The same Idempotency-Key never books twice.',
    link: (id) => ({ path: inConsole(id, { operation: 'createReservation' }), label: 'Book an offer' }),
  },
  {
    is: 'webhook',
    title: 'Be notified of changes',
    text: 'Webhooks notify your system when a reservation changes.',
    link: (id) => ({ path: `/applications/${id}/webhooks`, label: 'Add a webhook' }),
  },
];

/** The first steps of a sandbox application. A step is done when `done` says that it was seen, and is one line then; the first open one has the button. */
export function Checklist({
  application: { id },
  done,
}: {
  application: Pick<OwnApplication, 'id'>;
  done: Milestones;
}) {
  const next = STEPS.find(({ is }) => is !== 'token' && !done[is]);
  return (
    <section aria-labelledby="checklist">
      <h2 id="checklist">First steps</h2>
      <ol class="checklist">
        {STEPS.map((step) => (
          <li key={step.is} class={done[step.is] ? 'done' : undefined} data-step={step.is}>
            <strong>{step.title}</strong>{' '}
            <span class={`badge ${done[step.is] ? 'good' : ''}`}>{done[step.is] ? 'Done' : 'Open'}</span>
            {!done[step.is] && <HowTo step={step} id={id} isNext={step === next} />}
          </li>
        ))}
      </ol>
      <p class="quiet">This list checks itself. A call appears a few seconds after its response.</p>
    </section>
  );
}

function HowTo({ step, id, isNext }: { step: Step; id: string; isNext: boolean }) {
  const { path, label, isRun } = step.link(id);
  return (
    <>
      <br />
      <span class="quiet">{step.text}</span>{' '}
      <a class={isNext ? 'button' : undefined} href={path} data-run={isRun && 'yes'}>
        {label}
      </a>
    </>
  );
}
