import type { ServerResponse } from 'node:http';
import { hashText } from './random.js';
import type { DialectSimulator, Directive, SimulatedAnswer, SimulatedRequest } from './world.js';

/**
 * Answers one call as its directive says (docs/sandbox.md). The dialect does not see these directives: it handles a
 * slow, garbled or truncated call as `ok`, so that the work is done although the answer is spoiled.
 */
export function play(response: ServerResponse, request: SimulatedRequest, dialect: DialectSimulator): void {
  const { directive } = request;
  switch (directive.verb) {
    case 'timeout':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'error':
      send(response, errorPage(directive));
      return;
    case 'html':
      send(response, {
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: page('We will be back soon'),
      });
      return;
    case 'garbage':
      sendGarbage(response, dialect.answer(asOk(request)));
      return;
    case 'truncated':
      sendHalf(response, dialect.answer(asOk(request)));
      return;
    case 'slow':
      send(response, dialect.answer(asOk(request)));
      return;
    case 'lost_then_found':
    case 'lost_for_good':
      playLost(response, request, dialect);
      return;
    default:
      send(response, dialect.answer(request));
  }
}

/** Searches ignore lost answers and are answered normally. */
function playLost(response: ServerResponse, request: SimulatedRequest, dialect: DialectSimulator): void {
  if (!dialect.changesBookings(request)) {
    send(response, dialect.answer(asOk(request)));
    return;
  }
  if (request.directive.verb === 'lost_then_found') dialect.answer(asOk(request));
  response.socket?.resetAndDestroy();
}

function asOk(request: SimulatedRequest): SimulatedRequest {
  return { ...request, directive: { verb: 'ok' } };
}

function send(response: ServerResponse, { status, headers, body }: SimulatedAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

function errorPage({ status }: Extract<Directive, { verb: 'error' }>): SimulatedAnswer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: page(`Error ${status}`) };
}

function page(title: string): string {
  return `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}

/** A success with the dialect's content type and a body that is neither text nor compressed. */
function sendGarbage(response: ServerResponse, answer: SimulatedAnswer): void {
  const junk = Buffer.alloc(512);
  for (let offset = 0; offset < junk.length; offset += 4) junk.writeUInt32BE(hashText(offset, 'junk'), offset);
  junk[0] = 0xff;
  response.writeHead(200, {
    'content-type': answer.headers['content-type'] ?? 'application/octet-stream',
    'content-length': junk.length,
  });
  response.end(junk);
}

/** Announces the full length, sends the first half and ends the connection. */
function sendHalf(response: ServerResponse, { status, headers, body }: SimulatedAnswer): void {
  const whole = Buffer.from(body || '{"cut": "short"}');
  const { socket } = response;
  response.writeHead(status, { ...headers, 'content-length': whole.length });
  response.write(whole.subarray(0, whole.length >> 1), () => socket?.end());
}
