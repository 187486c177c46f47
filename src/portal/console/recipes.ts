/** A business refusal, and what brings it about. */
export interface Recipe {
  /** The `cause` of its error entry: the name by which a link asks for it. */
  readonly cause: string;
  readonly code: string;
  readonly reason: string;
  /** For the reader; backticks mark code. */
  readonly how: string;
  /** What the console fills in; undefined = it takes more than one request, or time. */
  readonly request?: {
    readonly operation: string;
    /** Where and of which brand the car is that the request is about. */
    readonly place: string;
    readonly brand: string;
    readonly scenario?: string;
    /** Values of fields, also of a body. */
    readonly fields: Readonly<Record<string, string>>;
  };
}

const card = (number: string): Readonly<Record<string, string>> => ({
  'payment.type': 'card',
  'payment.credit_card_number': number,
  'payment.card_expiry': '12/2039',
  'payment.card_holder': 'Ada Sample',
});

/** The business refusals of docs/errors.md that no place and no scenario alone provokes. */
export const RECIPES: readonly Recipe[] = [
  {
    cause: 'card_declined',
    code: '400',
    reason: 'invalid_request',
    how: 'pay with the card `4000000000000002`',
    request: { operation: 'createReservation', place: 'BOS', brand: 'Alpine', fields: card('4000000000000002') },
  },
  {
    cause: 'not_eligible',
    code: '400',
    reason: 'invalid_request',
    how: 'a driver of 18 years',
    request: { operation: 'createReservation', place: 'BOS', brand: 'Alpine', fields: { 'driver.age': '18' } },
  },
  {
    cause: 'unsupported_by_supplier',
    code: '400',
    reason: 'invalid_request',
    how: 'pay by card at Dune, which is paid at the counter',
    request: { operation: 'createReservation', place: 'BOS', brand: 'Dune', fields: card('4111111111111111') },
  },
  {
    cause: 'version_mismatch',
    code: '400',
    reason: 'invalid_request',
    how: 'change a reservation with `If-Match: "99"`',
    request: { operation: 'changeReservation', place: 'BOS', brand: 'Alpine', fields: { 'If-Match': '"99"' } },
  },
  {
    cause: 'not_changeable',
    code: '400',
    reason: 'invalid_request',
    how: 'change a reservation while nobody knows whether it is booked (`ZZT202`)',
    request: { operation: 'changeReservation', place: 'ZZT202', brand: 'Avis', fields: {} },
  },
  {
    cause: 'outcome_unknown',
    code: '500',
    reason: 'supplier_failure',
    how: 'change a reservation with `X-Sandbox-Scenario: alpine=lost_then_found`',
    request: {
      operation: 'changeReservation',
      place: 'BOS',
      brand: 'Alpine',
      scenario: 'alpine=lost_then_found',
      fields: {},
    },
  },
  {
    cause: 'idempotency_mismatch',
    code: '400',
    reason: 'invalid_request',
    how: 'book, change the name of the driver, and send it again with the same `Idempotency-Key`',
  },
  {
    cause: 'rate_expired',
    code: '404',
    reason: 'resource_failure',
    how: 'book an offer after its `expires_at`',
  },
];

/** The console with a recipe filled in; undefined = there is no one request of it. What is filled into a body stands in no link. */
export function recipePath({ cause, request }: Recipe): string | undefined {
  if (!request) return undefined;
  const { operation, place, brand, scenario } = request;
  const query = new URLSearchParams({ operation, recipe: cause, pickup_location: place, brand });
  if (scenario !== undefined) query.set('scenario', scenario);
  return `/console?${query}`;
}
