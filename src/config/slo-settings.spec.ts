import { expect, it } from '@jest/globals';
import { alertSettings, sloSettings, supplierSlo } from './slo-settings.js';

it('has the defaults of docs/alerting.md', () => {
  expect(sloSettings.parse(undefined)).toEqual({
    searches: 0.999,
    bookings: 0.999,
    tokens: 0.999,
    windowDays: 30,
    minimumFailures: 10,
  });
  expect(supplierSlo.parse(undefined)).toEqual({
    availability: 0.99,
    latency: { target: 0.95, underMs: 2_000 },
    autoReturn: false,
    priceDrift: { share: 0.2, minChecks: 30 },
    windowDays: 30,
  });
});

it.each([0.93, 1, 99.9])('refuses the target %p: nothing would alert, or everything', (searches) => {
  expect(sloSettings.safeParse({ searches }).success).toBe(false);
});

it.each(['hooks.example/abc', 'ftp://hooks.example', 'https://user:abc@hooks.example'])(
  'refuses the webhook %j without quoting it',
  (webhookUrl) => {
    const { success, error } = alertSettings.safeParse({ webhookUrl });
    expect([success, error?.issues.map(({ message }) => message)]).toEqual([
      false,
      ['must be an http or https URL without user and password'],
    ]);
  },
);
