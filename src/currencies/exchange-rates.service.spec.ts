import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { offerAt } from '../representations/fixtures/sample-offer.js';
import type { ExchangeRates } from './exchange-rates.service.js';
import { CONFIG, sampleRates } from './fixtures/sample-rates.js';

const SHIPPED = readFileSync(join(CONFIG, 'exchange-rates.xml'), 'utf8');
const NOW = Date.parse('2026-11-23T16:00:00Z');
const ECB = 'European Central Bank';

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The document of a day, as its publisher writes it. */
function documentOf(day: string, usd = '1.0812', source = ECB): string {
  return SHIPPED.replace('2026-11-20', day).replace('1.0812', usd).replace('Forecourt sample rates', source);
}

/** The URL of a server. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates.xml?day=last`;
}

async function started(rates: ExchangeRates): Promise<ExchangeRates> {
  await rates.onModuleInit();
  closing.push(() => rates.onModuleDestroy());
  return rates;
}

const inUse = ({ table }: ExchangeRates): unknown => table && [table.asOf, table.source];

describe('the exchange rates', () => {
  it('are those of the shipped file, and stale after the time that is set', async () => {
    const rates = await started(sampleRates({ staleAfterHours: 72 }));
    const staleAt = Date.parse('2026-11-23T00:00:00Z');
    const { conversion, ...published } = rates.rate('USD', 'EUR', staleAt - 1) ?? {};
    expect([conversion?.rate, published]).toEqual([
      '0.9248982612',
      { asOf: '2026-11-20', source: 'Forecourt sample rates' },
    ]);
    expect(rates.rate('USD', 'EUR', staleAt)).toMatchObject({ stale: true });
  });

  it('come through the euro, and a currency without a rate only converts to itself', async () => {
    const rates = await started(sampleRates());
    expect(rates.rate('USD', 'JPY', NOW)?.conversion.rate).toBe('150.1572327');
    expect(rates.rate('ARS', 'ARS', NOW)).toMatchObject({ asOf: '2026-11-23', source: 'none' });
    expect(sampleRates().rate('ARS', 'ARS', NOW)?.conversion.rate).toBe('1');
    expect(rates.rate('ARS', 'EUR', NOW)).toBeUndefined();
    expect(rates.rate('EUR', 'ARS', NOW)).toBeUndefined();
  });

  it('of the shipped sample are not used in production', async () => {
    const rates = await started(sampleRates({}, 'production'));
    expect(rates.table).toBeUndefined();
    expect(rates.shown(offerAt(10_000), { currency: 'EUR' }, NOW).price.display).toBeUndefined();
  });

  it('are read again from a file that was replaced, except for older or unreadable ones', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecourt-rates-'));
    const write = (text: string): void => writeFileSync(join(folder, 'rates.xml'), text);
    const rates = await started(sampleRates({ file: 'rates.xml' }, 'production', folder));
    expect(inUse(rates)).toBeUndefined();
    write(documentOf('2026-11-19'));
    await rates.refresh();
    expect(inUse(rates)).toEqual(['2026-11-19', ECB]);
    for (const text of [documentOf('2026-11-18'), documentOf('2026-11-20').slice(0, 900), '']) {
      write(text);
      await rates.refresh();
      expect(inUse(rates)).toEqual(['2026-11-19', ECB]);
    }
    write(documentOf('2026-11-20'));
    await rates.refresh();
    expect(inUse(rates)).toEqual(['2026-11-20', ECB]);
  });

  it('of a day that has not begun give way to those of today', async () => {
    const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10);
    const folder = mkdtempSync(join(tmpdir(), 'forecourt-rates-'));
    const write = (text: string): void => writeFileSync(join(folder, 'rates.xml'), text);
    write(documentOf(day(86_400_000), '1.5'));
    const rates = await started(sampleRates({ file: 'rates.xml' }, 'production', folder));
    write(documentOf(day(0)));
    await rates.refresh();
    expect(inUse(rates)).toEqual([day(0), ECB]);
  });

  it('come from the URL once it was read, and the last good ones stay while it fails', async () => {
    const asked: (string | undefined)[] = [];
    let answer: RequestListener = (_request, response) => response.end(documentOf('2026-11-16'));
    const url = await serve((request, response) => {
      asked.push(request.url);
      answer(request, response);
    });
    const rates = await started(sampleRates({ url, timeoutMs: 300 }));
    expect([inUse(rates), asked]).toEqual([['2026-11-16', ECB], ['/rates.xml?day=last']]);
    const failures: Record<string, RequestListener> = {
      'an error': (_request, response) => response.writeHead(500).end(documentOf('2026-11-17')),
      'a redirect': (_request, response) => response.writeHead(302, { location: url }).end(),
      'no answer': () => undefined,
      'an endless answer': (_request, response) => {
        const more = (): void =>
          void (response.destroyed || response.write(' '.repeat(10_000), () => setImmediate(more)));
        more();
      },
      'a large answer': (_request, response) => response.end(documentOf('2026-11-17') + ' '.repeat(70_000)),
      'another document': (_request, response) => response.end('<html></html>'),
      'a closed connection': (request) => request.socket.destroy(),
      'older rates': (_request, response) => response.end(documentOf('2026-11-13')),
      'a rate that leaps up': (_request, response) => response.end(documentOf('2026-11-17', '2.2')),
      'a rate that leaps down': (_request, response) => response.end(documentOf('2026-11-17', '0.54')),
    };
    for (const [failure, how] of Object.entries(failures)) {
      answer = how;
      await rates.refresh();
      expect([failure, inUse(rates)]).toEqual([failure, ['2026-11-16', ECB]]);
    }
    answer = (_request, response) => response.end(documentOf('2026-11-17', '1.2'));
    await rates.refresh();
    expect(rates.rate('EUR', 'USD', NOW)?.conversion.rate).toBe('1.2');
  });

  it.each([
    ['in production, a loopback address', {}, 'production', undefined],
    ['a private address', { url: 'https://10.0.0.1/rates.xml' }, 'sandbox', '2026-11-20'],
    ['the address of a metadata service', { url: 'https://169.254.169.254/' }, 'sandbox', '2026-11-20'],
  ] as const)('are not read from %s', async (_which, settings, environment, asOf) => {
    let connections = 0;
    const url = await serve((_request, response) => {
      connections += 1;
      response.end(documentOf('2026-11-21'));
    });
    const rates = await started(sampleRates({ url, timeoutMs: 1_000, ...settings }, environment));
    expect([rates.table?.asOf, connections]).toEqual([asOf, 0]);
  });
});

describe('an offer', () => {
  const paidPartly = (offer = offerAt(10_001)) => ({
    ...offer,
    price: {
      ...offer.price,
      dueNow: { amountMinor: 3_334, currency: 'USD' },
      dueAtCounter: { amountMinor: 6_667, currency: 'USD' },
    },
  });

  it('is shown in the requested currency, its parts adding up, and keeps what its supplier charges', async () => {
    const rates = await started(sampleRates());
    const { price } = rates.shown(paidPartly(), { currency: 'EUR' }, NOW);
    expect(price).toEqual({
      ...paidPartly().price,
      display: {
        amountMinor: 9_250,
        currency: 'EUR',
        dueNow: { amountMinor: 3_084, currency: 'EUR' },
        dueAtCounter: { amountMinor: 6_166, currency: 'EUR' },
        rate: '0.9248982612',
        asOf: '2026-11-20',
        source: 'Forecourt sample rates',
      },
    });
  });

  it('is unchanged, the same object, if no currency is requested', async () => {
    const offer = offerAt(1);
    expect((await started(sampleRates())).shown(offer, undefined, NOW)).toBe(offer);
  });

  it('keeps a locked rate of its two currencies, whatever the rates are now', async () => {
    const rates = await started(sampleRates());
    const locked = { from: 'USD', to: 'EUR', rate: '0.5', asOf: '2026-01-02', source: ECB };
    const shown = (currency: string, lock = locked): unknown =>
      rates.shown(offerAt(101), { currency, locked: lock }, NOW).price.display;
    expect(shown('EUR')).toMatchObject({ amountMinor: 51, rate: '0.5', asOf: '2026-01-02', source: ECB });
    expect(shown('GBP')).toMatchObject({ currency: 'GBP', asOf: '2026-11-20' });
    expect(shown('EUR', { ...locked, from: 'GBP' })).toMatchObject({ currency: 'EUR', asOf: '2026-11-20' });
  });

  it("is shown as its supplier converted it only if no rate is known, and never in a currency that wasn't requested", async () => {
    const rates = await started(sampleRates());
    const own = (currency: string) => {
      const offer = offerAt(10_000);
      return { ...offer, price: { ...offer.price, display: { amountMinor: 7, currency } } };
    };
    expect(rates.shown(own('ARS'), { currency: 'ARS' }, NOW).price.display).toEqual({
      amountMinor: 7,
      currency: 'ARS',
    });
    expect(rates.shown(own('EUR'), { currency: 'EUR' }, NOW).price.display?.amountMinor).toBe(9_249);
    expect(rates.shown(own('EUR'), { currency: 'ARS' }, NOW).price).not.toHaveProperty('display');
    expect(rates.shown(own('EUR'), undefined, NOW).price).not.toHaveProperty('display');
  });
});
