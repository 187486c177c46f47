import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { configSchema } from '../config/config.schema.js';
import { ownOrigin } from './own-origin.js';

const asked = (host: string) => ({ protocol: 'http', host }) as FastifyRequest;

describe('ownOrigin', () => {
  it('is the configured URL whatever Host a request names, so caches may keep it', () => {
    const config = configSchema.parse({ http: { publicUrl: 'https://cars.example/' } });
    expect(ownOrigin(asked('evil.example'), config)).toEqual({
      origin: 'https://cars.example',
      caching: 'public, max-age=300',
    });
  });

  it.each([
    ['cars.example:8080', 'http://cars.example:8080'],
    ['$(reboot)', 'http://127.0.0.1:3000'],
    ['', 'http://127.0.0.1:3000'],
  ])('without one is that of the Host %j, which no cache may keep', (host, origin) => {
    expect(ownOrigin(asked(host), configSchema.parse({}))).toEqual({ origin, caching: 'no-store' });
  });
});
