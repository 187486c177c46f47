import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Moment, utc } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { share } from '../usage/words.js';
import { boundText } from './bound-text.js';
import { ownText, problemText, several } from './diagnosis-text.js';
import { operationWords, shortWords } from './failure-words.js';
import { Whose } from './findings.js';
import { NoSuppliers } from './no-suppliers.js';
import { opsPage } from './ops-page.js';
import { StackPlot, words } from './stack-plot.js';
import type { SupplierFacts, SuppliersFacts } from './supplier-facts.service.js';

const HEADS = [
  'State',
  'Breakers',
  'Last failure',
  'Last 10 min',
  'p50 / p95',
  'Quota',
  'Offers',
  'Price changes',
  'Look-to-book',
];

/** One row per supplier, those with something unusual first. */
export function suppliersPage(visitor: Visitor, { suppliers, now, own }: SuppliersFacts): Answer {
  return opsPage(
    { title: 'Suppliers', visitor, area: '/ops/suppliers' },
    <>
      <h1>Suppliers</h1>
      <p class="quiet">
        As of {utc(now).slice(11)}. {ownText(own)}
      </p>
      {suppliers.length === 0 ? (
        <NoSuppliers />
      ) : (
        <>
          <ScrollingTable label="Suppliers" class="suppliers cards">
            <thead>
              <tr>
                <th scope="col">Supplier</th>
                {HEADS.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {suppliers.map((supplier) => (
                <Row key={supplier.id} supplier={supplier} now={now} />
              ))}
            </tbody>
          </ScrollingTable>
          <p class="quiet">
            Times and quota: p50 and p95 of the last 10 minutes, calls per second of the last full minute, offers and
            price changes of the last 30 minutes, the last failure of the last 24 hours. Counts are those of all
            gateways; breakers and look-to-book are those of the gateway that made this page.
          </p>
        </>
      )}
    </>,
  );
}

function Row({ supplier, now }: { supplier: SupplierFacts; now: number }) {
  const { id, name, problems, stacks, p50, p95, config, perSecond, offers, drift, lookToBook, lastFailure } = supplier;
  const [worst] = problems;
  const total = stacks.reduce((sum, stack) => sum + Object.values(stack).reduce((all, calls) => all + calls, 0), 0);
  return (
    <>
      <tr class={worst && 'unusual'}>
        <th scope="row">
          <a href={`/ops/suppliers/${encodeURIComponent(id)}`}>{name}</a> <code>{id}</code>
        </th>
        <td data-label="State">
          <StateBadge supplier={supplier} />
        </td>
        <td data-label="Breakers">
          <Breakers supplier={supplier} />
        </td>
        <td data-label="Last failure">
          {lastFailure === undefined ? (
            '–'
          ) : (
            <a href={`/ops/failures/${lastFailure.id}`}>
              {shortWords(lastFailure.cause)}, <Moment at={lastFailure.at} />
            </a>
          )}
        </td>
        <td data-label="Last 10 min">
          {total === 0 ? '–' : <StackPlot stacks={stacks} label={`Last 10 minutes: ${words(sumOf(stacks))}`} isSmall />}
        </td>
        <td class="number" data-label="p50 / p95">
          {p50 === undefined || p95 === undefined ? '–' : `${boundText(p50)} / ${boundText(p95)}`}
        </td>
        <td class="number" data-label="Quota">
          {perSecond.toFixed(1)}/s{config.quota.perSecond !== undefined && ` of ${config.quota.perSecond}/s`}
        </td>
        <td class="number" data-label="Offers">
          {offers === undefined ? '–' : offers.toFixed(1)}
        </td>
        <td class="number" data-label="Price changes">
          {drift === undefined ? '–' : share(drift, 1)}
        </td>
        <td class="number" data-label="Look-to-book">
          {lookToBook === undefined ? '–' : share(lookToBook, 1)}
        </td>
      </tr>
      {worst && (
        <tr class="explained">
          <td colSpan={HEADS.length + 1}>
            <div>
              <Whose problem={worst} /> {problemText(worst, name, now)}
              {problems.length > 1 && ` And ${problems.length - 1} more.`}
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

function sumOf(stacks: SupplierFacts['stacks']): SupplierFacts['stacks'][number] {
  const sum: Record<string, number> = {};
  for (const stack of stacks)
    for (const [group, calls] of Object.entries(stack)) sum[group] = (sum[group] ?? 0) + calls;
  return sum;
}

/** The state, and until when. */
export function StateBadge({ supplier: { state, until, isSet, percent, returnedFor } }: { supplier: SupplierFacts }) {
  return (
    <>
      <span class={`badge ${state === 'live' ? 'good' : 'partial'}`}>
        {state}
        {percent !== undefined && ` ${percent} %`}
      </span>
      {until !== null && (
        <>
          {' '}
          until <Moment at={until} />
        </>
      )}
      {isSet && <span class="quiet"> set {returnedFor === undefined ? 'by an operator' : 'automatically'}</span>}
    </>
  );
}

/** The breakers that are not closed. */
export function Breakers({ supplier: { breakers } }: { supplier: SupplierFacts }) {
  const open = breakers.filter(({ state }) => state !== 'closed');
  if (open.length === 0) return <span class="quiet">closed</span>;
  return (
    <>
      {open.map(({ operation, state, applications }) => (
        <p class="line" key={operation}>
          <span class={`badge ${state === 'open' ? 'bad' : 'partial'}`}>{state.replace('_', ' ')}</span>{' '}
          {operationWords(operation)}{' '}
          <span class="quiet">({several(applications, 'application', 'applications')})</span>
        </p>
      ))}
    </>
  );
}
