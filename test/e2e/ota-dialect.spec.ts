import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import { judge } from '../../src/contract-kit/judge.js';
import { caseLines } from '../../src/contract-kit/report.js';
import { PROJECT } from '../support/project.js';

const bravo = loadConfig(join(PROJECT, 'config'), {}).suppliers.find(({ id }) => id === 'bravo');

/** Every way in which a supplier can differ, combined; its simulator requires all of it. */
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
  errorCodes: { 9001: 'no_results', 9002: 'auth', 9003: 'not_found', 9004: 'already_cancelled' },
};

test('a supplier that differs in every switch fulfills the complete contract, over real sockets', async () => {
  if (!bravo) throw new Error('there is no bravo');
  const { checks, level } = await judge({ ...bravo, options });
  const failed = checks.filter(({ result }) => result === 'failed').map((check) => caseLines([check]));
  expect({ failed, level }).toEqual({ failed: [], level: 'gold' });
}, 120_000);
