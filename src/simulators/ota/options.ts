import { z } from 'zod';
import { moneyForm } from '../../model/money-form.js';
import { OTA_NAMESPACE } from './wire-writer.js';

const path = z.string().default('/ota');
const pair = z.object({ username: z.string(), password: z.string() });

/**
 * The options of docs/ota-dialect.md that the simulator implements, with the defaults documented there. It ignores all
 * others, such as code tables, and answers with OTA's own codes. Of `changes` it implements only `[]`.
 */
export const otaOptionsSchema = z.object({
  paths: z.object({ locations: path, vehicles: path, bookings: path }).prefault({}),
  vendorCodes: z.record(z.string(), z.string()).default({}),
  vendorCodeContext: z.string().optional(),
  locationCode: z.object({ template: z.string().default('{iata}') }).prefault({}),
  envelope: z.enum(['bare', 'soap11', 'soap12']).default('bare'),
  basicAuth: pair.optional(),
  headers: z.record(z.string(), z.string()).default({}),
  wsSecurity: pair.extend({ type: z.enum(['text', 'digest']) }).optional(),
  encoding: z.string().default('utf-8'),
  version: z.string().default('2.001'),
  versions: z.record(z.string(), z.string()).default({}),
  takes: z.array(z.string()).optional(),
  changes: z.array(z.string()).optional(),
  gzip: z.boolean().default(false),
  money: moneyForm.optional(),
  namespace: z.string().default(OTA_NAMESPACE),
  prefix: z.string().default(''),
  dateSeconds: z.boolean().default(true),
  dateSuffix: z.string().default(''),
  totalFrom: z.enum(['estimated', 'rate_plus_fees']).default('estimated'),
  errorCodes: z.record(z.string(), z.string()).default({}),
});
