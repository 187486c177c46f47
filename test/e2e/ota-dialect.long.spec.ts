import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import { judge } from '../../src/contract-kit/judge.js';
import { caseLines } from '../../src/contract-kit/report.js';
import { PROJECT } from '../support/project.js';

const bravo = loadConfig(join(PROJECT, 'config'), {}).suppliers.find(({ id }) => id === 'bravo');

/** Most formats in which a supplier can differ, combined; its simulator requires all of them. */
const options = {
  paths: { locations: '/places', vehicles: '/cars', bookings: '/reservations' },
  vendorCodes: { Bravo: 'BR', 'Bravo Select': 'BS' },
  vendorCodeContext: 'IATA',
  envelope: 'soap11',
  gzip: true,
  namespace: 'http://www.opentravel.org/OTA/2003/05/draft',
  prefix: 'ota',
  dateSeconds: false,
  dateSuffix: '+00:00',
  locationCode: { context: 'OAG', template: '{iata}T01' },
  totalFrom: 'rate_plus_fees',
  ownReference: 'reference',
  money: { thousands: '.', decimal: ',' },
  errorCodes: { 9001: 'no_results', 9002: 'auth', 9003: 'not_found', 9004: 'already_cancelled' },
};

const credentials = { user: 'forecourt', password: 'pa$$ wörd', apiKey: 'key-1' };
const pair = { username: 'user', password: 'password' };

/** SOAP 1.2 with credentials in every place, at a supplier that takes and changes little. */
const guarded = {
  vendorCodes: options.vendorCodes,
  envelope: 'soap12',
  soapAction: 'urn:rental',
  encoding: 'iso-8859-1',
  version: '3.000',
  versions: { OTA_VehResRQ: '4.000' },
  basicAuth: pair,
  headers: { 'x-api-key': '{apiKey}' },
  wsSecurity: { ...pair, type: 'digest' },
  takes: ['extras'],
  changes: [],
};

test.each([
  ['differs in most formats', options],
  [
    'demands SOAP 1.2, HTTP Basic, a header and a WS-Security digest, and takes no changes, cards, vouchers and coverages',
    guarded,
  ],
])(
  'a supplier that %s fulfills the complete contract, over real sockets',
  async (_what, options) => {
    if (!bravo) throw new Error('there is no bravo');
    const { checks, level } = await judge({ ...bravo, options, credentials });
    const failed = checks.filter(({ result }) => result === 'failed').map((check) => caseLines([check]));
    expect({ failed, level }).toEqual({ failed: [], level: 'gold' });
  },
  120_000,
);
