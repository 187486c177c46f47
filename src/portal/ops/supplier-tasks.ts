import type { FiringAlert } from '../../metrics/alert-metrics.js';
import { capitalized, faultWords, listed, problemText, several, sinceText } from './diagnosis-text.js';
import { operationWords, shortWords } from './failure-words.js';
import type { Problem } from './problems.js';
import type { SupplierFacts, SuppliersFacts } from './supplier-facts.service.js';

/** Something that needs a person, with the page to go to. */
export interface Task {
  readonly tone: 'bad' | 'partial';
  /** A word or two. */
  readonly what: string;
  readonly text: string;
  readonly path: string;
}

/** What is wrong with suppliers, the most urgent first; what all have, or what our load causes, is one task. */
export function supplierTasks({
  suppliers,
  now,
  own,
}: Pick<SuppliersFacts, 'suppliers' | 'now' | 'own'>): readonly Task[] {
  const problems = suppliers.flatMap((supplier) => supplier.problems.map((problem) => ({ problem, supplier })));
  const isShared = ({ reason }: Problem): boolean => reason === 'everywhere' || reason === 'lag';
  const [ours, theirs] = [
    problems.filter(({ problem }) => isShared(problem)),
    problems.filter(({ problem, supplier }) => !isShared(problem) && supplier.state !== 'maintenance'),
  ];
  const names = [...new Set(ours.map(({ supplier }) => supplier.name))];
  const kinds = [...new Set(ours.map(({ problem }) => shortWords(problem.kind)))];
  const since = ours.map(({ problem }) => problem.since).filter((at) => at !== undefined);
  const shared =
    ours.length === 0
      ? ''
      : `${listed(names)} ${names.length === 1 ? 'fails' : 'fail alike'} (${kinds.join(', ')}) ${sinceText(since.length === 0 ? undefined : Math.min(...since), now)}`;
  const overload = 'Our gateways are overloaded. Add gateways, or lower the load; switching a supplier off won’t help.';
  return [
    ...task(own.isLagging ? 1 : 0, 'bad', 'Us', shared === '' ? overload : `${overload} ${shared}.`, '/ops/suppliers'),
    ...task(
      own.isLagging ? 0 : ours.length,
      'bad',
      'Us',
      `${shared}: check our network; switching a supplier off won’t help.`,
      '/ops/suppliers',
    ),
    ...suppliers.flatMap(returnedTasks),
    ...theirs
      .map(
        ({ problem, supplier: { id, name } }): Task => ({
          tone: MILD.has(problem.kind) ? 'partial' : 'bad',
          what: faultWords(problem),
          text: problemText(problem, name, now),
          path: pathOf(id),
        }),
      )
      .sort((one, other) => Number(other.tone === 'bad') - Number(one.tone === 'bad')),
    ...suppliers.flatMap(openBreakers),
    ...suppliers.flatMap((supplier) => certificateTasks(supplier, now)),
  ];
}

/** A supplier that the gateway itself returned to shadow stays there until an operator acts. */
function returnedTasks({ id, name, returnedFor }: SupplierFacts): readonly Task[] {
  const text = `${name} waits for an operator: ${returnedFor}.`;
  return returnedFor === undefined ? [] : [{ tone: 'bad', what: 'Returned to shadow', text, path: pathOf(id) }];
}

const MILD = new Set(['slow', 'drift']);

/** Breakers that no problem explains. */
function openBreakers({ id, name, breakers, problems }: SupplierFacts): readonly Task[] {
  const explained = new Set(problems.flatMap(({ parts }) => parts.map(({ operation }) => operation)));
  return breakers
    .filter(({ state, operation }) => state === 'open' && !explained.has(operation))
    .map(({ operation, applications }) => ({
      tone: 'bad',
      what: 'Breaker open',
      text: `${name}: ${operationWords(operation)} are not sent for ${several(applications, 'application', 'applications')}.`,
      path: pathOf(id),
    }));
}

const DAY_MS = 86_400_000;
/** As gw doctor: most are renewed a month before. */
const CERTIFICATE_DAYS = 14;

function certificateTasks({ id, name, certificateEnd }: SupplierFacts, now: number): readonly Task[] {
  if (certificateEnd === undefined || certificateEnd - now > CERTIFICATE_DAYS * DAY_MS) return [];
  const days = Math.max(0, Math.floor((certificateEnd - now) / DAY_MS));
  const text = `The certificate of ${name} expires in ${several(days, 'day', 'days')}, on ${new Date(certificateEnd).toISOString().slice(0, 10)}. Afterwards, every call fails: ask the supplier to renew it.`;
  return [{ tone: days < 3 ? 'bad' : 'partial', what: 'Certificate', text, path: pathOf(id) }];
}

/** Error budgets that burn, as this gateway counted; of suppliers only those whose problems aren't listed anyway. */
export function budgetTasks(
  { suppliers, now }: Pick<SuppliersFacts, 'suppliers' | 'now'>,
  firing: readonly FiringAlert[],
): readonly Task[] {
  const listed = new Set(suppliers.flatMap(({ id, problems }) => (problems.length === 0 ? [] : [id])));
  const names = new Map(suppliers.map(({ id, name }) => [id, name]));
  const worst = Map.groupBy(firing, ({ name, supplier }) => `${name.replace(/(?:Fast|Slow)$/, '')} ${supplier}`);
  return [...worst.values()]
    .flatMap((same) => same.find(({ pair }) => pair.name === 'fast') ?? same.slice(0, 1))
    .filter(({ supplier }) => !listed.has(supplier))
    .map(({ pair, supplier, summary, description, startedAt }) => ({
      tone: pair.name === 'fast' ? 'bad' : 'partial',
      what: 'Error budget',
      text: `${capitalized(withName(summary, supplier, names.get(supplier)))}. ${description} Firing ${sinceText(startedAt, now)}.`,
      path: supplier === '' ? '/ops/requests?status=5xx' : pathOf(supplier),
    }));
}

/** A text with the name of a supplier in place of its id, which is a word of the text. */
function withName(text: string, id: string, name = id): string {
  return text
    .split(' ')
    .map((word) => (word.replace(/[:,.]$/, '') === id ? word.replace(id, name) : word))
    .join(' ');
}

function pathOf(supplier: string): string {
  return `/ops/suppliers/${encodeURIComponent(supplier)}`;
}

/** One task, or none if nothing is counted. */
export function task(count: number, tone: Task['tone'], what: string, text: string, path: string): readonly Task[] {
  return count === 0 ? [] : [{ tone, what, text, path }];
}
