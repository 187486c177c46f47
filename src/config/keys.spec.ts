import { expect, it } from '@jest/globals';
import { configSchema } from './config.schema.js';
import { acceptedKeys, loadKeys } from './keys.js';

const [secret, otherSecret] = ['one-secret-of-these-tests-0123456789012', 'another-secret-of-these-tests-012345678'];
const keysOf = (settings: object) => loadKeys(configSchema.parse(settings));

it('keys are made with the secret; those of the other one are accepted', () => {
  const [own, other] = [keysOf({ secret }), keysOf({ secret: otherSecret })];
  const both = keysOf({ secret, otherSecret });
  expect(both('offer_id').equals(own('offer_id'))).toBe(true);
  const accepted = acceptedKeys(both, 'offer_id', 'any');
  expect(accepted.map((key) => key.export())).toEqual([own, other].map((keys) => keys('offer_id', 'any').export()));
  expect([
    acceptedKeys(own, 'offer_id').length,
    acceptedKeys(keysOf({ secret, otherSecret: secret }), 'offer_id').length,
  ]).toEqual([1, 1]);
});
