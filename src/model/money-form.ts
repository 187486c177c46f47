import { z } from 'zod';
import type { MoneyForm } from './money.js';

/** The setting for how a supplier writes amounts as text (docs/rest-manifest.md#amounts). */
export const moneyForm = z
  .strictObject({
    thousands: z.enum(['.', ',', ' ', "'"]).optional().describe('Between groups of three digits; default: none.'),
    decimal: z.enum(['.', ',']).default('.').describe('Before the decimals.'),
    minor: z.boolean().default(false).describe('Amounts are whole numbers of minor units, such as cents.'),
  })
  .refine(({ thousands, decimal, minor }) => minor || thousands !== decimal, {
    path: ['thousands'],
    message: 'must differ from decimal',
  });

const MINOR: MoneyForm = { minor: true };

/** The form of a `money` setting: `decimal` is text with a point, `minor` a whole number of minor units. */
export function moneyFormOf(money: 'decimal' | 'minor' | MoneyForm): MoneyForm | undefined {
  return money === 'decimal' ? undefined : money === 'minor' ? MINOR : money;
}
