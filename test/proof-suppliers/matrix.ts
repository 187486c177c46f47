import type { SupplierConfig } from '../../src/config/supplier-config.schema.js';
import { create, driver, fresh, on, RATES, reservationOf } from '../support/booking.js';
import type { Client, HttpAnswer } from '../support/client.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { FEW_CARS, type SuppliersWorld } from './world.js';

/**
 * What a caller learns about a supplier: the cause of its failure, nothing (`empty`), or success if a fault affects
 * writes only.
 */
type Told = 'timeout' | 'unavailable' | 'bad_payload' | 'rejected' | 'throttled' | 'empty' | 'well';

/** Every fault that a simulator supports, and its effect on a search. */
export const FAULTS: Readonly<Record<string, Told>> = {
  timeout: 'timeout',
  'slow(5000)': 'timeout',
  reset: 'unavailable',
  'error(500)': 'unavailable',
  'error(503)': 'unavailable',
  truncated: 'unavailable',
  garbage: 'bad_payload',
  html: 'bad_payload',
  empty: 'empty',
  auth: 'rejected',
  throttled: 'throttled',
  lost_then_found: 'well',
  lost_for_good: 'well',
};

export const OPERATIONS = ['locations', 'availability', 'price check', 'book', 'cancel'] as const;
export type ProofOperation = (typeof OPERATIONS)[number];

/** One request to the gateway while one supplier has a fault. */
export interface MatrixRow {
  readonly supplier: string;
  readonly fault: string;
  readonly operation: ProofOperation;
  /** Status and entries, or status and state, as expected and as observed. */
  readonly expected: string;
  readonly told: string;
  /** Milliseconds beyond the supplier's deadline and the gateway's overhead; 0 = in time. */
  readonly lateMs: number;
}

/** The gateway's overhead: for a write it also prices the offer and writes to its database. */
const READ_EXTRA_MS = 100;
const WRITE_EXTRA_MS = 400;
/**
 * A result counts as a breach only if it repeats: an answer late every time, or a read wrong every time. A momentarily
 * busy machine is not a breach.
 */
const ROUNDS = 3;
/** How often the first offer is requested: the first searches reach a gateway that has only just started. */
const MOST_TRIES = 10;

/**
 * Runs every operation on every supplier with every fault; suppliers concurrently, the faults of each in turn. Rejects
 * without a baseline.
 */
export async function runMatrix(
  { suppliers, client: newClient }: SuppliersWorld,
  tell: (line: string) => void,
): Promise<MatrixRow[]> {
  const client = await newClient();
  try {
    const lanes = suppliers.map(async (supplier) => {
      const rows: MatrixRow[] = [];
      const offerId = await offerOf(client, supplier);
      for (const fault of Object.keys(FAULTS)) {
        for (const operation of OPERATIONS) rows.push(await rowOf(client, supplier, fault, operation, offerId));
      }
      tell(`${supplier.id}: ${rows.length} answers`);
      return rows;
    });
    return (await Promise.all(lanes)).flat();
  } finally {
    client.close();
  }
}

async function rowOf(
  client: Client,
  supplier: SupplierConfig,
  fault: string,
  operation: ProofOperation,
  offerId: string,
): Promise<MatrixRow> {
  const { timeoutMs, id } = supplier;
  const isWrite = operation === 'book' || operation === 'cancel';
  const allowedMs = isWrite ? timeoutMs[operation] + WRITE_EXTRA_MS : timeoutMs.searchVehicles + READ_EXTRA_MS;
  const expected = expectedOf(operation, id, fault);
  let row: MatrixRow | undefined;
  for (let round = 0; round < ROUNDS && (!row || row.lateMs > 0 || (!isWrite && row.told !== expected)); round += 1) {
    const answer = await askWith(client, supplier, fault, operation, offerId);
    const told = isWrite ? toldOfWrite(answer) : [answer.status, ...answer.missing].join(' ');
    row = { supplier: id, fault, operation, expected, told, lateMs: Math.max(0, Math.round(answer.ms - allowedMs)) };
  }
  if (!row) throw new Error('nothing was asked');
  return row;
}

async function askWith(
  client: Client,
  { id, brands }: SupplierConfig,
  fault: string,
  operation: ProofOperation,
  offerId: string,
): Promise<HttpAnswer> {
  const scenario = `${id}=${fault}`;
  const options = { headers: { 'x-sandbox-scenario': scenario } };
  const body = { offer_id: offerId, driver: driver(fresh()) };
  switch (operation) {
    case 'locations':
      return client.get(locationsPath('BOS'), options);
    case 'availability':
      return client.get(vehiclesPath(FEW_CARS), options);
    case 'price check':
      return client.post(RATES, { offer_id: offerId }, options);
    case 'book':
      return create(client, body, { scenario });
    case 'cancel': {
      const booked = await create(client, body);
      if (booked.status !== 201) throw new Error(`${id} (${brands[0]}) does not book: ${booked.text}`);
      return on(client, 'DELETE', reservationOf(booked).reservation_id, undefined, { scenario });
    }
  }
}

function toldOfWrite(answer: HttpAnswer): string {
  if (answer.status === 202) return `202 ${reservationOf(answer).state}`;
  if (answer.status < 300) return String(answer.status);
  return [answer.status, ...answer.errors.map(({ reason, cause }) => `${reason} ${cause ?? ''}`.trim())].join(' ');
}

function expectedOf(operation: ProofOperation, supplier: string, fault: string): string {
  const told = FAULTS[fault] ?? 'well';
  switch (operation) {
    case 'locations':
    case 'availability':
      if (told === 'well') return '200';
      return told === 'empty' ? `206 404 ${supplier}` : `206 500 ${supplier} ${told}`;
    case 'price check':
      if (told === 'well') return '200';
      return told === 'empty' ? `404 404 ${supplier} sold_out` : `500 500 ${supplier} ${told}`;
    case 'book':
      return isClearNo(told) ? `500 supplier_failure ${told}` : '202 unknown';
    case 'cancel':
      return isClearNo(told) ? `500 supplier_failure ${told}` : '500 supplier_failure outcome_unknown';
  }
}

/** Only these certify that nothing was done. */
function isClearNo(told: Told): boolean {
  return told === 'rejected' || told === 'throttled';
}

/** An offer that can be booked immediately and is paid at the counter. */
async function offerOf(client: Client, { id, brands }: SupplierConfig): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const answer = await client.get(vehiclesPath({ brand: brands[0], max_results: '60' }));
    const offer = answer.status === 200 ? answer.body.vehicles.find(isBookable) : undefined;
    if (offer) return offer.offer_id;
    if (tries === MOST_TRIES) throw new Error(`${id} has no offer to book: ${answer.text.slice(0, 300)}`);
  }
}

function isBookable({ status, rate }: HttpAnswer['body']['vehicles'][number]): boolean {
  return status === 'available' && rate.payment === 'pay_later';
}
