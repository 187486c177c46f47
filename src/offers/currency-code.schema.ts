import { z } from 'zod';
import { isCurrency } from '../model/money.js';

/** ISO 4217, any case. */
export const currencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, { error: 'must be a three-letter ISO 4217 currency code, such as USD.' })
  .transform((code) => code.toUpperCase())
  .refine(isCurrency, { error: 'is not an ISO 4217 currency.', params: { reason: 'invalid_range' } });
