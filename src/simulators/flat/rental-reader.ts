import { z } from 'zod';
import { toLocal } from '../../places/zone-clock.js';
import type { Directive, SimulatedLocation, SimulatedRental } from '../world.js';
import { FlatError } from './answers.js';
import type { FlatContext } from './context.js';
import { depotByNumber } from './location-writer.js';

/** Numbers arrive as JSON numbers or as text in a form. */
const whole = z.coerce.number().int();
const time = z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);

const place = {
  from_depot: whole.optional(),
  from_iata: z.string().optional(),
  to_depot: whole.optional(),
  to_iata: z.string().optional(),
};

/** Car, places and times; `age` and `home` are those of the driver. */
export const quotesQuestion = z.strictObject({
  ...place,
  from_time: time,
  to_time: time,
  age: whole.min(16).max(120),
  home: z.string().regex(/^[A-Z]{2}$/),
});

/** One of the cars with the chosen options: addons as `id:n`. */
export const priceQuestion = quotesQuestion.extend({
  grp: whole,
  pay: whole.min(1).max(2),
  addons: z.array(z.string().regex(/^\d+:[1-9]$/)).default([]),
  covers: z.array(z.coerce.string()).default([]),
});

/** A booking, new or changed. */
export const bookingQuestion = priceQuestion.extend({
  agent_ref: z.string().regex(/^\w{6,32}$/),
  max_cents: whole,
  first: z.string().min(1),
  last: z.string().min(1),
  mail: z.email(),
  tel: z.string().optional(),
  born: z.string().optional(),
  flight: z.string().optional(),
  note: z.string().optional(),
});

/** A price request. */
export type PriceQuestion = z.infer<typeof priceQuestion>;
/** A booking request. */
export type BookingQuestion = z.infer<typeof bookingQuestion>;

/** Parses a request. Throws FlatError 1001 with the error. */
export function readQuestion<T>(question: unknown, schema: z.ZodType<T>): T {
  const read = schema.safeParse(question);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new FlatError('badRequest', `${issue?.path.join('.') || 'body'}: ${issue?.message}`);
}

/** A form as an object; names that end in [] are lists. */
export function formOf(body: string): object {
  const form: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(body)) {
    if (!name.endsWith('[]')) form[name] = value;
    else form[name.slice(0, -2)] = [...(form[name.slice(0, -2)] ?? []), value];
  }
  return form;
}

/** A JSON body. Throws FlatError 1001. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) throw new FlatError('badRequest', 'the body is not JSON');
    throw error;
  }
}

/** The requested rental. Throws FlatError for unknown depots and invalid times. */
export function rentalOf(
  question: z.infer<typeof quotesQuestion>,
  { inventory, now }: FlatContext,
  directive: Directive,
): SimulatedRental {
  const depot = (number: number | undefined, iata: string | undefined): SimulatedLocation => {
    const found = number === undefined ? inventory.locationByCode(iata ?? '') : depotByNumber(number, inventory);
    if (!found) throw new FlatError('noDepot', 'unknown depot');
    return found;
  };
  const pickup = depot(question.from_depot, question.from_iata);
  const dropoff = depot(question.to_depot, question.to_iata);
  const pickupDate = `${question.from_time.replace(' ', 'T')}:00`;
  const dropoffDate = `${question.to_time.replace(' ', 'T')}:00`;
  if (pickupDate < toLocal(now(), pickup.timeZone)) throw new FlatError('badRequest', 'from_time: is in the past');
  if (!(dropoffDate > pickupDate)) throw new FlatError('badRequest', 'to_time: is not after from_time');
  const percent = directive.verb === 'price' ? { pricePercent: directive.percent } : {};
  return { pickup, dropoff, pickupDate, dropoffDate, age: question.age, ...percent };
}
