import type { Fault } from './interposer.js';

/** Suppliers of the drill. Each is played by its own simulator. */
export const DRILLED = ['abg', 'alpine', 'bravo'] as const;
export type Drilled = (typeof DRILLED)[number];

/** One application searches and books, the other only searches for locations. */
export type Application = 'Trip Planner' | 'Office Map';

/** What someone who only sees the pages must find out. */
export interface Truth {
  readonly what: string;
  readonly who: 'them' | 'us';
  readonly suppliers: readonly Drilled[];
  readonly operations: readonly string[];
  readonly applications: readonly Application[];
  /** What to press, or to do if no button helps; one of them is right. */
  readonly press: readonly string[];
}

/** A fault to play. */
export interface Drill {
  readonly name: string;
  readonly truth: Truth;
  readonly faults?: Readonly<Partial<Record<Drilled, readonly Fault[]>>>;
  /** What is done to the gateway itself: its process is stopped for half of the time, or its supplier file is changed. */
  readonly own?:
    | { readonly stall: true }
    | { readonly supplier: Drilled; readonly file: Readonly<Record<string, unknown>> };
}

const ALL = ['vehicle searches', 'location searches', 'price checks', 'bookings'] as const;
const BOTH = ['Trip Planner', 'Office Map'] as const;
const ONE = ['Trip Planner'] as const;
const them = (
  what: string,
  supplier: Drilled,
  operations: readonly string[],
  applications: readonly Application[],
  press: readonly string[],
): Truth => ({ what, who: 'them', suppliers: [supplier], operations, applications, press });

/** The ten faults of a supplier. */
export const TEN: readonly Drill[] = [
  {
    name: 'hang',
    truth: them('bravo never answers', 'bravo', ALL, BOTH, ['Maintenance']),
    faults: { bravo: [{ act: { kind: 'hang' } }] },
  },
  {
    name: '5xx',
    truth: them('alpine answers 30 % of vehicle searches with 503', 'alpine', ['vehicle searches'], ONE, [
      'Maintenance',
    ]),
    faults: { alpine: [{ only: 'vehicle searches', share: 0.3, act: { kind: 'answer', status: 503 } }] },
  },
  {
    name: '429',
    truth: them(
      'bravo answers vehicle searches with 429 and asks for a pause, during which no call is sent',
      'bravo',
      ALL,
      BOTH,
      ['Drain', 'quota'],
    ),
    faults: {
      bravo: [
        {
          only: 'vehicle searches',
          share: 0.7,
          act: { kind: 'answer', status: 429, headers: { 'retry-after': '20' } },
        },
      ],
    },
  },
  {
    name: '401',
    truth: them('abg refuses our credentials', 'abg', ALL, BOTH, ['check credentials', 'Maintenance']),
    faults: { abg: [{ act: { kind: 'answer', status: 401 } }] },
  },
  {
    name: 'payload',
    truth: them('bravo answers vehicle searches with an HTML page', 'bravo', ['vehicle searches'], ONE, [
      'Maintenance',
      'Shadow',
    ]),
    faults: { bravo: [{ only: 'vehicle searches', act: { kind: 'garbage' } }] },
  },
  {
    name: 'slow',
    truth: them('abg answers vehicle searches three times slower', 'abg', ['vehicle searches'], ONE, [
      'wait',
      'Maintenance',
    ]),
    faults: { abg: [{ only: 'vehicle searches', act: { kind: 'slower', times: 3 } }] },
  },
  {
    name: 'empty',
    truth: them('alpine finds no vehicles', 'alpine', ['vehicle searches'], ONE, ['ask the supplier']),
    faults: { alpine: [{ only: 'vehicle searches', act: { kind: 'empty' } }] },
  },
  {
    name: 'price',
    truth: them('bravo shows a hundredth of its prices', 'bravo', ['vehicle searches'], ONE, ['Shadow']),
    faults: { bravo: [{ only: 'vehicle searches', act: { kind: 'prices', times: 0.01 } }] },
  },
  {
    name: 'booking',
    truth: them('alpine never answers bookings', 'alpine', ['bookings'], ONE, ['Drain', 'Maintenance']),
    faults: { alpine: [{ only: 'bookings', act: { kind: 'hang' } }] },
  },
  {
    name: 'tls',
    truth: them('the certificate of abg expired', 'abg', ALL, BOTH, ['Maintenance']),
    faults: { abg: [{ act: { kind: 'expired' } }] },
  },
];

/** Faults that the diagnosis was not designed for. */
export const FURTHER: readonly Drill[] = [
  {
    name: 'two-suppliers',
    truth: {
      what: 'alpine answers 40 % of vehicle searches with 500, and bravo refuses our credentials',
      who: 'them',
      suppliers: ['alpine', 'bravo'],
      operations: ['alpine: vehicle searches', 'bravo: all'],
      applications: BOTH,
      press: ['alpine: Maintenance', 'bravo: check credentials, Maintenance'],
    },
    faults: {
      alpine: [{ only: 'vehicle searches', share: 0.4, act: { kind: 'answer', status: 500 } }],
      bravo: [{ act: { kind: 'answer', status: 403 } }],
    },
  },
  {
    name: 'two-in-one',
    truth: them(
      'bravo is slow in vehicle searches and fails bookings with 500',
      'bravo',
      ['vehicle searches', 'bookings'],
      ONE,
      ['Drain', 'Maintenance'],
    ),
    faults: {
      bravo: [
        { only: 'vehicle searches', act: { kind: 'slower', times: 4 } },
        { only: 'bookings', act: { kind: 'answer', status: 500 } },
      ],
    },
  },
  {
    name: 'lag',
    truth: {
      what: 'the gateway itself is stopped for most of the time',
      who: 'us',
      suppliers: [],
      operations: [],
      applications: BOTH,
      press: ['add gateways or lower the load; no switch helps'],
    },
    own: { stall: true },
  },
  {
    name: 'network',
    truth: {
      what: 'all suppliers are unreachable: our network',
      who: 'us',
      suppliers: ['abg', 'alpine', 'bravo'],
      operations: ALL,
      applications: BOTH,
      press: ['check our network; no switch helps'],
    },
    faults: {
      abg: [{ act: { kind: 'refuse' } }],
      alpine: [{ act: { kind: 'refuse' } }],
      bravo: [{ act: { kind: 'refuse' } }],
    },
  },
  {
    name: 'quota',
    truth: {
      what: 'our own file of alpine allows one call per second since it was changed',
      who: 'us',
      suppliers: ['alpine'],
      operations: ['vehicle searches', 'location searches'],
      applications: BOTH,
      press: ['raise the quota in its file'],
    },
    own: { supplier: 'alpine', file: { quota: { perSecond: 0.5 } } },
  },
  {
    name: 'credentials',
    truth: {
      what: 'our own file of abg got wrong credentials',
      who: 'us',
      suppliers: ['abg'],
      operations: ALL,
      applications: BOTH,
      press: ['correct the credentials in its file'],
    },
    own: { supplier: 'abg', file: { credentials: { clientId: 'simulated-client', clientSecret: 'mistyped' } } },
  },
];
