import { expect, it } from '@jest/globals';
import { keysOf, ownLimitKey, pageKeysOf, sessionKeysOf } from './keys.js';

it('all keys of an account have one hash tag, including those of its limits, so that one server of a cluster has them', () => {
  const owner = { accountId: 'acc_1', applicationId: 'app_1' };
  const { token, policy, live, used, underWay } = keysOf('sandbox', owner);
  const session = sessionKeysOf('sandbox', 'acc_1');
  const pages = pageKeysOf('sandbox', 'acc_1');
  const keys = [
    ...[token('digest'), policy, live, ...used('digest'), ...underWay('digest')],
    ...[session.session('digest'), session.list, pages.search('app_1', 'srch_1'), pages.list, pages.bytes],
    ownLimitKey('sandbox', 'bookings', 'acc_1'),
  ];
  expect(keys.map((key) => /\{(.*?)\}/.exec(key)?.[1])).toEqual(keys.map(() => 'acc_1'));
  expect(new Set(keys).size).toBe(keys.length);
  expect(ownLimitKey('sandbox', 'acc_1')).not.toBe(ownLimitKey('sandbox', 'acc_1', 'acc_1'));
});
