import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../../config/loopback.js';
import { Answer } from '../../http/answer.js';

/** Cookies with this prefix belong to one origin and are only kept with Secure. */
const PREFIX = '__Host-';
/** The names of all of them begin with it, after the prefix. */
const NAME = 'forecourt';
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** False if a proxy forwarded the request, or if the browser knows this machine by another name, as a page that rebinds its DNS name does. */
export function isFromHere({ hostname, headers }: Pick<FastifyRequest, 'hostname' | 'headers'>): boolean {
  return isLoopback(hostname) && FORWARDED.every((name) => headers[name] === undefined);
}

/**
 * Safari keeps no Secure cookie over http://localhost. So there, and nowhere else, the portal's cookies are sent without Secure and the prefix
 * `__Host-`: what leaves the machine isn't affected, and a cookie without the prefix is ignored on any other host.
 */
function isPlain(request: FastifyRequest): boolean {
  return request.protocol === 'http' && isFromHere(request);
}

/**
 * Gives the cookies of a request the names that the services know. A cookie without the prefix replaces the one with it, which an earlier version
 * set.
 */
export function acceptLocalCookies(request: FastifyRequest): void {
  const { cookie } = request.headers;
  if (cookie === undefined || !isPlain(request)) return;
  const pairs = cookie.split(';').map((pair) => pair.trim());
  const names = new Set(pairs.map((pair) => pair.split('=', 1)[0]).filter((name) => name?.startsWith(NAME)));
  const isReplaced = (pair: string): boolean =>
    pair.startsWith(PREFIX) && names.has(pair.slice(PREFIX.length).split('=', 1)[0]);
  const kept = pairs.filter((pair) => !isReplaced(pair));
  request.headers.cookie = kept.map((pair) => (pair.startsWith(NAME) ? `${PREFIX}${pair}` : pair)).join('; ');
}

/** The answer with the cookies that the browser of a request keeps. */
export function withLocalCookies(request: FastifyRequest, answer: unknown): unknown {
  if (!(answer instanceof Answer) || answer.headers['set-cookie'] === undefined || !isPlain(request)) return answer;
  const cookies = [answer.headers['set-cookie']]
    .flat()
    .map((cookie) => cookie.replace(PREFIX, '').replace(' Secure;', ''));
  return new Answer(answer.status, answer.body, { ...answer.headers, 'set-cookie': cookies });
}
