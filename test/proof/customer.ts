import { setTimeout as wait } from 'node:timers/promises';
import type { Call, GatewayClient, Reply } from './client.js';
import type { ChangeTold, GivenAnswer, Intent, Kept, State, Word } from './evidence.js';
import type { OfferPool } from './offers.js';
import type { ChangePlan, Fault, IntentPlan } from './plan.js';

/** How often a create that failed without being stored is tried. */
const TRIES_AFTER_500 = 3;
/** How long a client waits for an uncertain reservation to be resolved before it changes or cancels it. */
const CLEAR_WITHIN_MS = 8_000;

/** What an answer shows of a reservation. */
interface Shown {
  readonly reservation_id: string;
  readonly state: State;
  readonly driver: { readonly email: string } | null;
  readonly arrival?: { readonly carrier_code: string; readonly flight_number: string };
  readonly remark?: string;
}

/**
 * Plays one intent as a good client would: the same key until there is an answer, then its changes, then its
 * cancellation.
 */
export async function playIntent(plan: IntentPlan, client: GatewayClient, offers: OfferPool): Promise<PlayedIntent> {
  const begunAt = Date.now();
  const played = await play(plan, client, offers);
  return { ...played, begunAt, endedAt: Date.now() };
}

async function play(
  plan: IntentPlan,
  client: GatewayClient,
  offers: OfferPool,
): Promise<Omit<PlayedIntent, 'begunAt' | 'endedAt'>> {
  const create = createCall(plan, await offers.take(plan.supplier, plan.offer));
  const answers: GivenAnswer[] = [];
  const note = (reply: Reply | undefined): void => {
    if (reply) answers.push(givenAnswer(reply));
  };
  await submit(plan, create, client, note);
  const booking = {
    key: plan.key,
    supplier: plan.supplier,
    fault: plan.fault.name,
    ...(plan.fault.wire?.kind === 'hidden' ? { isHidden: true } : {}),
    ...(plan.fault.wire?.kind === 'twice' ? { isTwice: true } : {}),
    booked: plan.booked,
    answers,
    create,
  };
  const id = answers.map(({ text }) => shown(text)?.reservation_id).find((found) => found !== undefined);
  if (id === undefined || (plan.changes.length === 0 && !plan.cancel)) return { ...booking, changes: [] };
  const changes: ChangeTold[] = [];
  for (const change of plan.changes) {
    if ((await untilClear(id, plan, client)) !== 'confirmed') break;
    const { part, value, fault } = change;
    changes.push({
      part,
      value,
      fault: fault.verb ?? fault.name,
      word: await write(changeCall(id, plan, change), plan, client),
    });
  }
  const { cancel } = plan;
  if (!cancel || (await untilClear(id, plan, client)) === undefined) return { ...booking, changes };
  await wait(cancel.afterMs);
  return { ...booking, changes, cancel: await write(cancelCall(id, plan, cancel.fault), plan, client) };
}

/** The replayed answer for the key of an intent, from either gateway. */
export function askAgain({ create }: PlayedIntent, gateway: number, client: GatewayClient): Promise<Reply | undefined> {
  return client.insist(gateway, create, () => undefined);
}

/** An intent together with its request, ready to be repeated. */
export interface PlayedIntent extends Intent {
  readonly create: Call;
}

/** The changeable parts that a reservation holds; undefined if it cannot be read. */
export async function readKept(id: string, gateway: number, client: GatewayClient): Promise<Kept | undefined> {
  const reply = await client.insist(gateway, { method: 'GET', path: `/cars/reservation/v1/${id}` }, () => undefined);
  const reservation = reply?.status === 200 ? shown(reply.text) : undefined;
  if (!reservation) return undefined;
  const { driver, arrival, remark } = reservation;
  return {
    email: driver?.email ?? '',
    flight: arrival ? arrival.carrier_code + arrival.flight_number : '',
    remark: remark ?? '',
  };
}

async function submit(
  plan: IntentPlan,
  create: Call,
  client: GatewayClient,
  note: (reply: Reply | undefined) => void,
): Promise<void> {
  const { manner, gateway } = plan;
  if (manner.kind === 'leaves') note(await client.send(gateway, create, manner.afterMs));
  const times = manner.kind === 'together' ? manner.times : 1;
  await Promise.all(Array.from({ length: times }, (_, at) => submitOnce(gateway + at, create, client, note)));
}

/** A 500 that was stored is returned again when repeated; one that was not stored means that no booking was started. */
async function submitOnce(
  gateway: number,
  create: Call,
  client: GatewayClient,
  note: (reply: Reply | undefined) => void,
): Promise<void> {
  for (let tries = 0; tries < TRIES_AFTER_500; tries += 1) {
    const reply = await client.insist(gateway + tries, create, note);
    if (reply?.status !== 500 || isReplayed(reply)) return;
  }
}

/** The state of a reservation once it can be changed or cancelled; undefined = not in time, or never. */
async function untilClear(
  id: string,
  { gateway }: IntentPlan,
  client: GatewayClient,
): Promise<'confirmed' | 'on_request' | undefined> {
  const end = Date.now() + CLEAR_WITHIN_MS;
  for (;;) {
    const reply = await client.insist(gateway, { method: 'GET', path: `/cars/reservation/v1/${id}` }, () => undefined);
    const state = shown(reply?.text ?? '')?.state;
    if (state === 'confirmed' || state === 'on_request') return state;
    if (state === undefined || !UNCLEAR.includes(state) || Date.now() > end) return undefined;
    await wait(200);
  }
}

const UNCLEAR: readonly State[] = ['pending', 'unknown', 'modify_pending'];

/**
 * Repeats a change or cancellation until it is answered. After an attempt that may have been carried out, a refusal
 * proves nothing.
 */
async function write(call: Call, { gateway }: IntentPlan, client: GatewayClient): Promise<Word> {
  let inDoubt = false;
  const reply = await client.insist(gateway, call, (seen) => {
    inDoubt ||= !seen || seen.status === 503 || isOutcomeUnknown(seen);
  });
  if (reply && reply.status < 300) return 'done';
  return inDoubt ? 'unknown' : 'refused';
}

/** Any 500 other than a supplier's clear refusal. */
function isOutcomeUnknown({ status, text }: Reply): boolean {
  return (
    status === 500 && (!text.includes('"reason":"supplier_failure"') || text.includes('"cause":"outcome_unknown"'))
  );
}

function givenAnswer(reply: Reply): GivenAnswer {
  const state = shown(reply.text)?.state;
  return {
    status: reply.status,
    replayed: isReplayed(reply),
    text: `${reply.status} ${reply.text}`,
    ...(state ? { state } : {}),
    at: Date.now(),
  };
}

function isReplayed({ headers }: Reply): boolean {
  return headers['idempotent-replayed'] === 'true';
}

function shown(text: string): Shown | undefined {
  const start = text.indexOf('{');
  return start === -1 ? undefined : (JSON.parse(text.slice(start)) as { reservation?: Shown }).reservation;
}

/** The request that books an offer as planned. */
export function createCall(plan: IntentPlan, offerId: string): Call {
  const { key, firstName, lastName, booked, card, anyPrice } = plan;
  return {
    method: 'POST',
    path: '/cars/reservation/v1/',
    headers: { 'idempotency-key': key, ...scenario(plan, plan.fault) },
    body: {
      offer_id: offerId,
      client_reference: key,
      driver: { first_name: firstName, last_name: lastName, email: booked.email, phone: '+1 617 555 0100' },
      ...(booked.flight === '' ? {} : { arrival: arrivalOf(booked.flight) }),
      ...(booked.remark === '' ? {} : { remark: booked.remark }),
      ...(anyPrice ? { price_tolerance: '100000' } : {}),
      ...(card === undefined
        ? {}
        : { payment: { type: 'card', credit_card_number: card, card_expiry: '12/2040', card_holder: 'ADA SAMPLE' } }),
    },
  };
}

function changeCall(id: string, plan: IntentPlan, { part, value, fault }: ChangePlan): Call {
  const body = {
    email: { driver: { email: value } },
    flight: { arrival: arrivalOf(value) },
    remark: { remark: value },
  }[part];
  return { method: 'PATCH', path: `/cars/reservation/v1/${id}`, headers: scenario(plan, fault), body };
}

function cancelCall(id: string, plan: IntentPlan, fault: Fault): Call {
  return { method: 'DELETE', path: `/cars/reservation/v1/${id}`, headers: scenario(plan, fault) };
}

function scenario({ supplier }: IntentPlan, { verb }: Fault): Record<string, string> {
  return verb === undefined ? {} : { 'x-sandbox-scenario': `${supplier}=${verb}` };
}

function arrivalOf(flight: string): object {
  return { carrier_code: flight.slice(0, 2), flight_number: flight.slice(2) };
}
