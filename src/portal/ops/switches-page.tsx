import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import type { Incident } from '../../incidents/incident-storage.js';
import { CardTable } from '../shell/card-table.js';
import { Moment } from '../shell/moment.js';
import { opsPage } from './ops-page.js';
import type { Subject } from './subjects.service.js';
import type { Switchboard, SwitchedPart } from './switchboard.service.js';

/** What an operator may want to switch, by what happens; the paths are those of forms. */
const ACTIONS: readonly (readonly [string, readonly (readonly [path: string, text: string])[]])[] = [
  [
    'Now',
    [
      ['startMaintenance?subject=service', 'Put the service or a product into maintenance'],
      ['switchOff?kind=operation', 'Switch an operation of the API off'],
      ['switchOff?kind=brand', 'Switch a brand off'],
    ],
  ],
  [
    'Planned',
    [
      ['planMaintenance?subject=service', 'Plan a maintenance of the service or a product'],
      ['planSupplierMaintenance', 'Plan a maintenance of a supplier'],
    ],
  ],
  ['Status page', [['openIncident?part=service', 'Post a notice for callers']]],
];

/** What is out of the service, what is planned, and the forms that switch. */
export function switchesPage(
  visitor: Visitor,
  { off, planned, incidents }: Switchboard,
  labelOf: (subject: Subject) => string,
): Answer {
  return opsPage(
    { title: 'Switches', visitor, area: '/ops/switches' },
    <>
      <h1>Switches</h1>
      <p class="lead">What operators took out of the service. Every gateway follows within a second.</p>
      <h2>Off now</h2>
      {off.length === 0 ? (
        <p class="card">Nothing is switched off.</p>
      ) : (
        <Parts parts={off} label="Off now" labelOf={labelOf} />
      )}
      <h2>Planned</h2>
      {planned.length === 0 ? (
        <p class="card">Nothing is planned.</p>
      ) : (
        <Parts parts={planned} label="Planned" labelOf={labelOf} />
      )}
      <h2>Switch something</h2>
      <div class="switch-groups">
        {ACTIONS.map(([when, actions]) => (
          <section key={when} class="card" aria-label={when}>
            <h3>{when}</h3>
            <ul class="commands">
              {actions.map(([path, text]) => (
                <li key={path}>
                  <a href={`/ops/commands/${path}`}>{text}…</a>
                </li>
              ))}
              {when === 'Now' && (
                <>
                  <li>
                    <a href="/ops/suppliers">A supplier: on its page</a>
                  </li>
                  <li>
                    <a href="/ops/applications">An application: on its page</a>
                  </li>
                </>
              )}
            </ul>
          </section>
        ))}
      </div>
      <h2>Incidents on the status page</h2>
      {incidents.length === 0 ? (
        <p>
          No incident is open. Earlier ones are on the <a href="/status">status page</a>.
        </p>
      ) : (
        <Incidents incidents={incidents} />
      )}
    </>,
  );
}

interface PartsProps {
  readonly parts: readonly SwitchedPart[];
  readonly label: string;
  readonly labelOf: (subject: Subject) => string;
}

function Parts({ parts, label, labelOf }: PartsProps) {
  return (
    <CardTable
      label={label}
      columns={[
        { name: 'What' },
        { name: 'State' },
        { name: label === 'Planned' ? 'From' : 'Since' },
        { name: 'Until' },
        { name: 'Reason', kind: 'change' },
        { name: 'Who' },
        { name: 'Change' },
      ]}
      rows={parts.map(({ kind, subject, state, begin, end, reason, who, endPath }) => ({
        key: `${kind} ${subject} ${endPath}`,
        cells: [
          labelOf({ kind, subject }),
          <span class="badge partial">{state}</span>,
          begin ? <Moment at={begin} /> : '–',
          end ? <Moment at={end} /> : 'an operator ends it',
          reason ?? '–',
          who ?? '–',
          <a href={endPath}>{label === 'Planned' ? 'Cancel…' : 'Switch on…'}</a>,
        ],
      }))}
    />
  );
}

function Incidents({ incidents }: { incidents: readonly Incident[] }) {
  return (
    <ul class="events">
      {incidents.map(({ id, kind, part, beganAt, notes }) => (
        <li key={id}>
          <strong>{part.replace(':', ' ')}</strong> ({kind}) since <Moment at={beganAt} />. {notes.at(-1)?.text}{' '}
          <a href={`/ops/commands/addIncidentNote?incident=${id}`}>Add a text…</a>{' '}
          {kind === 'notice' && <a href={`/ops/commands/closeIncident?incident=${id}`}>End it…</a>}
        </li>
      ))}
    </ul>
  );
}
