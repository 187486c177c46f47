import type { FastifyInstance, FastifyReply } from 'fastify';
import { acceptedCoding } from './accepted-coding.js';
import { byteJobs } from './byte-jobs.js';
import { networkOf } from './client-network.js';
import type { ContextRequest } from './open-request.js';
import type { UnreadAnswers } from './unread-answers.js';

/** Shorter answers gain little. */
const SHORTEST_BYTES = 4_096;

/**
 * Compresses JSON of more than 4 KB, whatever its status, with the coding that the request accepts. Never streams, whose lines would
 * be held back, and never pages, which hold secrets beside what others wrote into them. HEAD gets the headers of GET but the length,
 * which only compressing would show (RFC 9110 §9.3.2). Call it before routes are added.
 */
export function compressAnswers(fastify: FastifyInstance, unread: Pick<UnreadAnswers, 'hold'>): void {
  fastify.addHook('onSend', (request: ContextRequest, reply: FastifyReply, payload: unknown, done) => {
    const bytes = bytesOf(payload);
    if (bytes === undefined || !isJson(reply) || reply.hasHeader('content-encoding')) return done(null, payload);
    vary(reply);
    const coding = acceptedCoding(request.headers['accept-encoding']);
    if (coding === undefined) return done(null, payload);
    if (request.method === 'HEAD') {
      reply.header('content-encoding', coding).removeHeader('content-length');
      weaken(reply);
      return done(null, null);
    }
    const caller = request.context?.accountId ?? networkOf(request.ip);
    void byteJobs.tryCompress(caller, bytes, coding).then((compressed) => {
      // Meanwhile, the client disconnected or got its 408.
      if (reply.raw.headersSent || reply.raw.destroyed) return;
      if (compressed === undefined) return done(null, payload);
      if (request.context) unread.hold(request.context, compressed.length);
      reply.header('content-encoding', coding).removeHeader('content-length');
      weaken(reply);
      done(null, compressed);
    }, done);
  });
}

function bytesOf(payload: unknown): Buffer | undefined {
  if (Buffer.isBuffer(payload)) return payload.length > SHORTEST_BYTES ? payload : undefined;
  if (typeof payload !== 'string' || payload.length <= SHORTEST_BYTES) return undefined;
  return Buffer.from(payload);
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith('application/json');
}

function vary(reply: FastifyReply): void {
  const names = reply.getHeader('vary');
  reply.header('vary', names === undefined ? 'Accept-Encoding' : `${String(names)}, Accept-Encoding`);
}

/** The bytes differ by coding, so that the tag identifies the content only (RFC 9110 §8.8.1). */
function weaken(reply: FastifyReply): void {
  const tag = reply.getHeader('etag');
  if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`);
}
