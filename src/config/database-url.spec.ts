import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseDatabaseUrl } from './database-url.js';

const WRITES = 'target_session_attrs=read-write';

describe('DATABASE_URL', () => {
  it.each([
    'postgresql://me:p%40ss@db:5432/forecourt?sslmode=verify-full',
    'postgres:///forecourt?host=/run/postgresql',
    'postgresql://me@/forecourt?host=/run/postgresql',
    'postgresql://db/forecourt?user=me@here',
    '/run/postgresql forecourt',
  ])('%s is one server, left to the driver', (url) => {
    expect(parseDatabaseUrl(url)).toMatchObject({ servers: [{ url }], needsWrites: false });
  });

  it('one host may have to accept writes, as behind a proxy that leads to the primary', () => {
    const url = `postgresql://db:6432/forecourt?${WRITES}`;
    expect(parseDatabaseUrl(url)).toEqual({ servers: [{ name: 'db:6432', url }], needsWrites: true });
  });

  it('several hosts are one URL each, in their order, with everything else of the URL', () => {
    const rest = `/forecourt?application_name=a%2Cb&${WRITES}`;
    expect(parseDatabaseUrl(`postgres://me:p%40%2Css@one:5433,[fd00::2]:5434,three${rest}`)).toEqual({
      servers: ['one:5433', '[fd00::2]:5434', 'three'].map((name) => ({
        name,
        url: `postgres://me:p%40%2Css@${name}${rest}`,
      })),
      needsWrites: true,
    });
  });

  it.each([
    ['postgres://u:hush/12@one:5432/db', 'percent-encode special characters'],
    ['postgres://u:12/hush@one:5432/db', 'percent-encode special characters'],
    ['postgres://u:hush?12@one:5432/db', 'percent-encode special characters'],
    ['postgres://u:hush#12@one:5432/db', 'percent-encode special characters'],
    ['postgres://u:12#hush@one:5432/db', 'percent-encode special characters'],
    ['postgres://u:hush@one,two/db', 'without target_session_attrs=read-write'],
    ['postgres://u:hush@one,two/db?target_session_attrs=any', 'without target_session_attrs=read-write'],
    ['postgres://u:hush@one/db?target_session_attrs=prefer-standby', 'neither read-write nor any'],
    [`postgres://u:hush@one/db?${WRITES}&target_session_attrs=any`, 'neither read-write nor any'],
    [`postgres://u:hush@one,/db?${WRITES}`, 'not host:port'],
    [`postgres://u:hush@one:x,two/db?${WRITES}`, 'not host:port'],
    [`postgres://u:hush@one:0,two/db?${WRITES}`, 'not from 1 to 65535'],
    [`postgres://u:hush@one,two:70000/db?${WRITES}`, 'not from 1 to 65535'],
    [`postgres://u:hush@${Array(11).fill('h').join(',')}/db?${WRITES}`, 'more than 10 hosts'],
    [`postgres://u:hush@/db?host=one,two&${WRITES}`, 'in a parameter'],
    [`postgres://u:hush@one,two/db?host=three&${WRITES}`, 'names hosts twice'],
  ])('%s is refused with the reason and the allowed forms, and is not repeated', (url, reason) => {
    expect(() => parseDatabaseUrl(url)).toThrow(reason);
    expect(() => parseDatabaseUrl(url)).toThrow('host:port,host:port/database?target_session_attrs=read-write');
    expect(() => parseDatabaseUrl(url)).not.toThrow('hush');
  });
});

it('the containers pass the password beside the URL, in which the output of `openssl rand -base64` is not always a valid password', () => {
  const compose = readFileSync('docker-compose.yml', 'utf8');
  expect(compose).toMatch(/^ {2}DATABASE_URL: postgresql:\/\/forecourt@postgres:5432\/forecourt$/m);
  expect(compose).toMatch(/^ {2}PGPASSWORD: \$\{POSTGRES_PASSWORD:-development-only\}$/m);
});
