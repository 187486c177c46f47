import { pino } from 'pino';
import type { Config } from '../config/config.schema.js';
import { ExchangeRates } from '../currencies/exchange-rates.service.js';
import { type Finding, fine, wrong } from './finding.js';

const SUBJECT = 'exchange rates';
const ADVICE =
  'set EXCHANGE_RATES_URL to https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml, or replace the file in the configuration folder every day';

/** Reads the exchange rates as a gateway does. In production, rates that are missing or stale are a fault. */
export async function checkRates(config: Config, folder: string): Promise<Finding[]> {
  const rates = new ExchangeRates(config, folder, pino({ level: 'silent' }));
  await rates.onModuleInit();
  await rates.onModuleDestroy();
  const { table, fault } = rates;
  const isStale = table !== undefined && Date.now() >= table.staleAt;
  const inUse = table
    ? `${table.source}, of ${table.asOf}${isStale ? ', stale' : ''}`
    : 'none, so no price is converted';
  const found = fault === undefined ? inUse : `${inUse}; ${fault}`;
  const isFaulty = config.environment === 'production' && (fault !== undefined || isStale);
  return [isFaulty ? wrong(SUBJECT, found, ADVICE) : fine(SUBJECT, found)];
}
