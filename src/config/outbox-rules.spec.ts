import { describe, expect, it } from '@jest/globals';
import { configSchema } from './config.schema.js';
import { hasOutbox, outboxRisk } from './outbox-rules.js';
import { startProblems } from './start-checks.js';

describe('the outbox page', () => {
  it.each([
    {},
    { http: { host: 'localhost' } },
    { http: { host: '::1' } },
    { http: { host: '127.8.9.1', publicUrl: 'http://localhost:8080' } },
    { redisUrl: 'redis://elsewhere' },
  ])('exists on a loopback sandbox with the embedded database: %j', (settings) => {
    const config = configSchema.parse(settings);
    expect([outboxRisk(config), hasOutbox(config)]).toEqual([undefined, true]);
  });

  it.each([
    [{ http: { host: '0.0.0.0' } }, 'http.host is "0.0.0.0"'],
    [{ http: { host: '::' } }, 'http.host is "::"'],
    [{ http: { host: '' } }, 'http.host is ""'],
    [{ http: { host: '10.0.0.7' } }, 'http.host is "10.0.0.7"'],
    [{ http: { host: '127.evil.example' } }, 'http.host is "127.evil.example"'],
    [{ http: { host: 'localhost.example.com' } }, 'http.host is "localhost.example.com"'],
    [{ databaseUrl: 'postgresql://me:hush@127.0.0.1/forecourt' }, 'databaseUrl is set'],
    [{ http: { trustedProxies: ['127.0.0.1'] } }, 'http.trustedProxies is set'],
    [{ http: { publicUrl: 'https://cars.example.com' } }, 'http.publicUrl is "https://cars.example.com"'],
    [{ http: { publicUrl: 'cars.example.com' } }, 'http.publicUrl is "cars.example.com"'],
    [{ http: { host: '::' }, databaseUrl: 'postgresql://h/x' }, 'http.host is "::" and databaseUrl is set'],
  ])('does not exist, and the gateway does not start, with %j', (settings, reasons) => {
    const config = configSchema.parse(settings);
    expect([outboxRisk(config), hasOutbox(config)]).toEqual([reasons, false]);
    expect(startProblems({ config, secretFiles: [] }).find(({ subject }) => subject === 'mail')).toMatchObject({
      found: expect.stringContaining(reasons),
      todo: expect.stringContaining('SMTP_URL'),
    });
  });

  it.each([
    { mail: { smtpUrl: 'smtp://mail.example.com' }, http: { host: '0.0.0.0' }, databaseUrl: 'postgresql://h/x' },
    { environment: 'production', http: { host: '0.0.0.0' }, databaseUrl: 'postgresql://h/x' },
    { environment: 'production' },
  ])('does not exist, and nothing is refused, with %j', (settings) => {
    const config = configSchema.parse(settings);
    expect([outboxRisk(config), hasOutbox(config)]).toEqual([undefined, false]);
  });
});
