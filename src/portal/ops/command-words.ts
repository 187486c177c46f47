import type { OperationValues, OperatorOperation } from '../../system/operator-operations.js';
import type { Subject } from './subjects.service.js';
import type { SwitchedPart } from './switchboard.service.js';

/** What a command is about, as far as its values say it. `label`: "brand Budget". */
interface CommandSubject extends Subject {
  readonly label: string;
  /** Whether it is only planned. */
  readonly isPlanned?: boolean;
}

/** A command in words. */
interface CommandWords {
  /** Its heading, and the button that confirms it: "Switch off the brand Budget". */
  readonly title: string;
  /** The sentence that says what was done. */
  readonly done: string;
  /** The page that shows the effect. */
  readonly back: { readonly path: string; readonly text: string };
}

/** An operation with its values in words. */
export interface WordedCommand extends OperatorOperation {
  readonly words: CommandWords;
  /** The kind of what it switches, if its values say it; otherwise ''. */
  readonly kind: string;
  /** What of this kind there is to choose from, by id; empty if it isn't known. */
  readonly subjects: ReadonlyMap<string, string>;
}

const MADE = 'The change was made.';
const KINDS: Readonly<Record<string, string>> = {
  operation: 'an operation of the API',
  brand: 'a brand',
  product: 'a product',
  supplier: 'a supplier',
};

/** What switching off a kind means for callers. */
const OFF_MEANS: Readonly<Record<string, readonly string[]>> = {
  operation: ['Every call to it gets a 503 with Retry-After.'],
  product: ['Every call to its operations gets a 503 with Retry-After.'],
  brand: [
    'Searches leave it out and still ask its supplier for its other brands. A search for this brand alone gets a 503, and so does a new booking of its offers.',
    'Its existing reservations can be read, changed and canceled.',
  ],
  supplier: [
    'Searches no longer call it: they list it as skipped and stay complete (200). Price checks and new bookings get a 503 with Retry-After.',
    'Its existing reservations can be read, changed and canceled.',
  ],
};

/** What a command would do for callers, in sentences; empty if its words say it. */
export function commandMeaning(
  { id }: Pick<OperatorOperation, 'id'>,
  { kind = '' }: OperationValues,
): readonly string[] {
  return id === 'switchOff' ? (OFF_MEANS[kind] ?? []) : [];
}

/** What the values of a command are about; undefined if they don't say it. `switched`: the part that a switch took out of the service. */
export function subjectOf(
  { id }: Pick<OperatorOperation, 'id'>,
  { kind = '', subject = '', supplier = '' }: OperationValues,
  switched: SwitchedPart | undefined,
): Subject | undefined {
  if (id === 'removeSwitch') return switched;
  if (id === 'switchOff') return kind && subject ? { kind: kind as Subject['kind'], subject } : undefined;
  if (supplier !== '') return { kind: 'supplier', subject: supplier };
  if (!/Maintenance$/.test(id) || subject === '') return undefined;
  return { kind: subject === 'service' ? 'service' : 'product', subject };
}

/** The words of a command with these values. */
export function commandWords(
  operation: Pick<OperatorOperation, 'id' | 'tag' | 'summary'>,
  values: OperationValues,
  about: CommandSubject | undefined,
): CommandWords {
  const [title, done] = sentencesOf(operation, values, about);
  return { title, done, back: backOf(operation, values) };
}

function sentencesOf(
  { id, summary }: Pick<OperatorOperation, 'id' | 'summary'>,
  { kind = '', state, percent }: OperationValues,
  about: CommandSubject | undefined,
): readonly [title: string, done: string] {
  if (id === 'switchOff' && !about && KINDS[kind]) return [`Switch off ${KINDS[kind]}`, 'It is switched off.'];
  const plain = summary.split(/[;:]/, 1)[0] ?? summary;
  if (id === 'createOperator')
    return [plain, 'The account was created. Its link sets the password: give it to the operator only.'];
  if (!about) return [plain, MADE];
  const [it, It] = [`the ${about.label}`, `The ${about.label}`];
  switch (id) {
    case 'switchOff':
      return [`Switch off ${it}`, `${It} is switched off on every gateway.`];
    case 'removeSwitch':
      return about.isPlanned
        ? [`Cancel the planned maintenance of ${it}`, `The planned maintenance of ${it} is canceled.`]
        : [`Switch on ${it}`, `${It} is switched on again on every gateway.`];
    case 'startMaintenance':
      return [`Put ${it} into maintenance`, `${It} is in maintenance.`];
    case 'endMaintenance':
      return [`End the maintenance of ${it}`, `${It} is in service again.`];
    case 'planMaintenance':
    case 'planSupplierMaintenance':
      return [`Plan a maintenance of ${it}`, `The maintenance of ${it} is planned.`];
    case 'setSupplierState':
      return state ? [`Set ${it} to ${state}`, `${It} is set to ${state}.`] : [`Set the state of ${it}`, ''];
    case 'setSupplierCanary':
      return [`Send a share of the searches to ${it}`, `${It} gets ${percent} % of the searches.`];
    default:
      return [plain, MADE];
  }
}

function backOf(
  { tag }: Pick<OperatorOperation, 'tag'>,
  { supplier, application, reservation }: OperationValues,
): CommandWords['back'] {
  const page = (area: string, id: string) => `/ops/${area}/${encodeURIComponent(id)}`;
  if (supplier) return { path: page('suppliers', supplier), text: 'Back to the supplier' };
  if (application) return { path: page('applications', application), text: 'Back to the application' };
  if (reservation) return { path: page('reservations', reservation), text: 'Back to the reservation' };
  if (['switches', 'maintenance', 'incidents'].includes(tag))
    return { path: '/ops/switches', text: 'Back to the switches' };
  return { path: '/ops/commands', text: 'Back to all commands' };
}
