import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { configSchema } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { createLogger } from '../../src/config/logger.js';
import { Delivery } from '../../src/mail/delivery.js';
import { Outbox } from '../../src/mail/outbox.js';
import { claim } from '../support/claim.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { migratedDatabase } from '../support/migrated-database.js';

jest.setTimeout(60_000);

const database = migratedDatabase('outbox');
let mail: MailServer;
let outbox: Outbox;
let delivery: Delivery;
beforeEach(async () => {
  mail = await startMailServer();
  const secret = 'a-secret-of-the-delivery-tests-0123456789';
  const config = configSchema.parse({ environment: 'sandbox', secret, mail: { smtpUrl: mail.url } });
  const logger = createLogger('silent');
  outbox = new Outbox(database(), config, loadKeys(config), logger);
  delivery = new Delivery(outbox, config, logger);
});
afterEach(async () => {
  const stopped = delivery.onApplicationShutdown();
  await mail.stop();
  await stopped;
});

const put = (to: string, isSignUp: boolean) =>
  outbox.put({ to, isSignUp, subject: 'Hello', text: 'a text', html: '<p>a text</p>' });
const arrived = () => mail.mails().map(({ to }) => to);

claim(
  ['portal', 'API4'],
  'However many emails of sign-ups wait, no other email waits behind them, even to the same domain or if the mail server does not answer.',
  async () => {
    // Five are sent concurrently, two of them to one domain.
    const silent = ['one.example', 'two.example', 'three.example'];
    for (const domain of silent) mail.hold(domain);
    for (let count = 0; count < 6; count += 1) await put(`bot${count}@${silent[count % 3]}`, true);
    delivery.wake();
    await wait(500);
    await put('ada@mail.example', false);
    delivery.wake();
    await mail.next('ada@mail.example', 3_000);

    for (let count = 0; count < 100; count += 1) await put(`bot${count}@mail.example`, true);
    await put('bea@mail.example', false);
    delivery.wake();
    await mail.next('bea@mail.example', 3_000);
    expect(arrived().length).toBeLessThan(10);
  },
);

it('while both wait, most of the emails that are sent are not of sign-ups, but some are', async () => {
  for (let count = 0; count < 100; count += 1) {
    await put(`bot${count}@${count % 5}.example`, true);
    await put(`owner${count}@${count % 5}.example`, false);
  }
  delivery.wake();
  await mail.next('owner79@4.example');
  const ofSignUps = arrived().filter((to) => to.startsWith('bot')).length;
  expect(ofSignUps).toBeGreaterThan(5);
  expect(ofSignUps).toBeLessThan(50);
});

it('at most two emails of one kind are sent to a domain at a time', async () => {
  mail.hold('slow.example');
  for (let count = 0; count < 3; count += 1) {
    await put(`bot${count}@slow.example`, true);
    await put(`owner${count}@slow.example`, false);
  }
  delivery.wake();
  await wait(500);
  const leased = await database().rows<{ recipient: string }>(
    sql`select recipient from outbox where leased_until is not null order by 1`,
  );
  expect(leased.map(({ recipient }) => recipient)).toEqual([
    'bot0@slow.example',
    'bot1@slow.example',
    'owner0@slow.example',
    'owner1@slow.example',
  ]);
});

it.each([399, 452])('an email that the server answers with %i is tried again', async (code) => {
  mail.refuse('ada@mail.example', code);
  await put('ada@mail.example', false);
  delivery.wake();
  await wait(400);
  mail.refuse('ada@mail.example', undefined);
  await mail.next('ada@mail.example', 10_000);
});
