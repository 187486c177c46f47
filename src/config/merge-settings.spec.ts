import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';
import { fromVariables } from './merge-settings.js';
import { settingsOf } from './setting-sources.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-variables-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function read(env: Record<string, string>) {
  const faults: string[] = [];
  return { settings: fromVariables(env, faults), faults };
}

const url = 'postgresql://forecourt:s3cret@db/forecourt';

describe('Secrets in files', () => {
  it.each([
    ['DATABASE_URL', { databaseUrl: url }],
    ['DATABASE_DIRECT_URL', { databaseDirectUrl: url }],
    ['REDIS_URL', { redisUrl: url }],
    ['SMTP_URL', { mail: { smtpUrl: url } }],
    ['PERSONAL_DATA_KEYS', { personalDataKeys: url }],
    ['CLIENT_SECRET_KEYS', { secretKeys: url }],
    ['FORECOURT_OTHER_SECRET', { otherSecret: url }],
  ])('%s_FILE names a file with the value of %s, whose trailing line break is removed', (name, settings) => {
    expect(read({ [`${name}_FILE`]: fileWith(name, `${url}\n`) })).toEqual({ settings, faults: [] });
  });

  it('are refused if the variable is set as well, and no message quotes them', () => {
    const env = { DATABASE_URL: url, DATABASE_URL_FILE: fileWith('both', url) };
    expect(read(env)).toEqual({
      settings: {},
      faults: ['variables DATABASE_URL and DATABASE_URL_FILE: both are set; keep one'],
    });
    const master = { FORECOURT_SECRET: 's3cret', FORECOURT_SECRET_FILE: '/secrets/forecourt' };
    expect(read(master).faults).toEqual([
      'variables FORECOURT_SECRET and FORECOURT_SECRET_FILE: both are set; keep one',
    ]);
    for (const name of Object.keys(master)) expect(read({ ...master, [name]: '' }).faults).toEqual([]);
  });

  it('are refused if the file is missing, empty, or a folder', () => {
    mkdirSync(join(folder, 'sub'));
    const files = [join(folder, 'missing'), fileWith('empty', '\n'), join(folder, 'sub')];
    expect(files.flatMap((file) => read({ REDIS_URL_FILE: file }).faults)).toEqual([
      `variable REDIS_URL_FILE: the file ${files[0]} does not exist`,
      `variable REDIS_URL_FILE: the file ${files[1]} is empty`,
      `variable REDIS_URL_FILE: the file ${files[2]} is not a regular file`,
    ]);
  });

  it('are not read for settings that are not secret, and an empty variable doesn’t name a file', () => {
    expect(read({ HOST_FILE: fileWith('host', '0.0.0.0'), REDIS_URL_FILE: '' })).toEqual({ settings: {}, faults: [] });
  });

  it('are masked in the report of gw doctor, which names the variable that they come from', () => {
    const headers = {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=s3cret',
      EXCHANGE_RATES_URL: 'https://rates.example/latest?access_key=s3cret',
    };
    const env = { DATABASE_URL_FILE: fileWith('reported', url), HOST_FILE: 'unused', ...headers };
    const settings = settingsOf(loadConfig('config', env).config, 'config', env);
    const shown = ['databaseUrl', 'exchangeRates.url', 'http.host', 'tracing.headers'];
    expect(settings.filter(({ name }) => shown.includes(name))).toEqual([
      { name: 'http.host', value: '127.0.0.1', source: 'default' },
      { name: 'tracing.headers', value: '***', source: 'variable OTEL_EXPORTER_OTLP_HEADERS' },
      {
        name: 'databaseUrl',
        value: 'postgresql://forecourt:***@db/forecourt',
        source: 'variable DATABASE_URL_FILE',
      },
      { name: 'exchangeRates.url', value: 'https://rates.example/latest?***', source: 'variable EXCHANGE_RATES_URL' },
    ]);
  });
});
