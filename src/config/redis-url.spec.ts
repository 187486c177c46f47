import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl } from './redis-url.js';

describe('REDIS_URL', () => {
  it.each(['redis://127.0.0.1:6379', 'redis://x', 'rediss://me:secret@[::1]:6379/2'])(
    '%s is a single server',
    (url) => {
      expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
    },
  );

  it('redis+sentinel names the Sentinels, the master and optionally its database', () => {
    expect(parseRedisUrl('redis+sentinel://one:5000,two/main')).toEqual({
      kind: 'sentinel',
      nodes: [
        { host: 'one', port: 5_000 },
        { host: 'two', port: 26_379 },
      ],
      master: 'main',
      database: 0,
      tls: false,
    });
    expect(
      parseRedisUrl(
        'rediss+sentinel://me:p%40ss%2Fword@[fd00::1]:5000/main/3?sentinelUsername=s&sentinelPassword=t%26u',
      ),
    ).toEqual({
      kind: 'sentinel',
      nodes: [{ host: 'fd00::1', port: 5_000 }],
      master: 'main',
      database: 3,
      tls: true,
      username: 'me',
      password: 'p@ss/word',
      sentinelUsername: 's',
      sentinelPassword: 't&u',
    });
  });

  it('redis+cluster names some nodes of the cluster', () => {
    expect(parseRedisUrl('redis+cluster://:secret@10.0.0.1,[fd00::2]:7001,c.example/')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: '10.0.0.1', port: 6_379 },
        { host: 'fd00::2', port: 7_001 },
        { host: 'c.example', port: 6_379 },
      ],
      tls: false,
      password: 'secret',
    });
    expect(parseRedisUrl('rediss+cluster://a')).toMatchObject({ kind: 'cluster', tls: true });
  });

  it.each([
    ['http://hush', 'unknown scheme'],
    ['hush', 'unknown scheme'],
    ['redis+replicas://hush', 'unknown scheme'],
    ['redis://', 'no host'],
    ['redis://hush:70000', 'is not a URL'],
    ['redis:///1', 'no host'],
    ['redis://hush:1,two:2', 'several hosts without a kind'],
    ['redis+cluster://', 'not host:port'],
    ['redis+cluster://hush,', 'not host:port'],
    ['redis+cluster://hush:x', 'not host:port'],
    ['redis+cluster://hush:0', 'not from 1 to 65535'],
    ['redis+cluster://hush:70000', 'not from 1 to 65535'],
    ['redis+cluster://hush/1', 'a Redis Cluster does not have'],
    ['redis+cluster://hush?tls=1', 'a Redis Cluster does not have'],
    ['redis+cluster://u:%zz@hush', 'percent-encoded'],
    [`redis+cluster://${Array(101).fill('hush').join(',')}`, 'more than 100 hosts'],
    ['redis+sentinel://hush:1', 'name of the master'],
    ['redis+sentinel://hush:1/main/x', 'not /master or /master/database'],
    ['redis+sentinel://hush:1/main/1/2', 'not /master or /master/database'],
    ['redis+sentinel://hush:1/main?password=hush', 'neither sentinelUsername nor sentinelPassword'],
  ])('%s is refused with the reason and the allowed forms, and is not repeated', (url, reason) => {
    expect(() => parseRedisUrl(url)).toThrow(reason);
    expect(() => parseRedisUrl(url)).toThrow('redis+cluster://host:port,host:port');
    expect(() => parseRedisUrl(url)).not.toThrow('hush');
  });
});
