import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { errorCodes, type FastifyBodyParser, type FastifyInstance, type FastifyRequest } from 'fastify';
import { NEVER, type Observable } from 'rxjs';
import { loopTurns } from '../config/loop-turns.js';
import { ApiError } from '../status/api-error.js';
import type { AdmittedMessage } from './admission/admitting-server.js';
import { contextOf } from './context.decorator.js';
import { routeSettings, Settings } from './route-settings.js';

const JSON_TYPE = /^application\/json *(;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded *(;|$)/i;

/** Marks a route that accepts form bodies, as undecoded text. All other routes reject forms. */
export const ReadsForm = () => Settings({ readsForm: true });

/** Fields of a form. */
export const MOST_FIELDS = 100;

/** The fields of a form; undefined if there are more than MOST_FIELDS, because each costs far more than its bytes. */
export function formOf(body: string): URLSearchParams | undefined {
  let fields = 1;
  for (let at = body.indexOf('&'); at !== -1; at = body.indexOf('&', at + 1))
    if (++fields > MOST_FIELDS) return undefined;
  return new URLSearchParams(body);
}

/**
 * Levels of objects and arrays in a body: valid ones have fewer than ten. What reads a value level by level, such as JSON.stringify,
 * overflows the stack at thousands.
 */
const MOST_LEVELS = 64;

/** The body of a request until BodyInterceptor reads it. */
const UNREAD = Symbol('unread body');

/** Leaves every body on its connection, whatever its type: Fastify would parse it before any guard runs. */
export function leaveBodiesUnread(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null, UNREAD));
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const type = headers['content-type'];
    // Fastify rejects a header that it can't parse, even before any guard runs.
    if (type !== undefined && !JSON_TYPE.test(type) && !FORM_TYPE.test(type)) headers['content-type'] = OTHER_TYPE;
    done();
  });
}

const OTHER_TYPE = 'application/octet-stream';

/**
 * Reads the body of a request after all guards and before the pipes (ruling 18): JSON as its value, a form as undecoded
 * text. If reading or what follows took long, the session or token is checked again. Then an API call takes its turn of the event loop,
 * before its body is parsed; pages take theirs in PortalGuard. Throws ApiError 400 for any other type, and for a body that is too large
 * or malformed. If the request is finished by then, the handler doesn't run.
 */
export class BodyInterceptor implements NestInterceptor {
  readonly #parseJson: FastifyBodyParser<string>;

  constructor(
    fastify: FastifyInstance,
    private readonly limitBytes: number,
  ) {
    this.#parseJson = fastify.getDefaultJsonParser('error', 'error');
  }

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    if (request.body === UNREAD) return this.#read(request, next);
    if (request.body === undefined && routeSettings(request).readsForm === true) request.body = emptyForm(request);
    const turn = turnOf(request);
    return turn === undefined ? next.handle() : turn.then(() => handled(request, next));
  }

  async #read(request: FastifyRequest, next: CallHandler): Promise<Observable<unknown>> {
    const type = request.headers['content-type'] ?? '';
    const isForm = FORM_TYPE.test(type) && routeSettings(request).readsForm === true;
    if (!isForm && !JSON_TYPE.test(type)) throw wrongType();
    // A request that waits for its client occupies no place.
    const place = request.raw.complete ? undefined : (request.raw as AdmittedMessage).place;
    place?.leave();
    const text = await textOf(request, this.limitBytes);
    await place?.reenter();
    await contextOf(request).reauthorizeIfLate();
    await turnOf(request);
    request.body = isForm ? text : await this.#json(request, text);
    return handled(request, next);
  }

  #json(request: FastifyRequest, text: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      void this.#parseJson(request, text, (error, value) => (error ? reject(unreadableJson(error)) : resolve(value)));
    }).then((value) => {
      if (isTooDeep(value)) throw tooDeep();
      return value;
    });
  }
}

/** The turn of an API call: the store answers the guards of many calls together. Undefined = now. */
function turnOf(request: FastifyRequest): Promise<void> | undefined {
  const context = contextOf(request);
  const { accountId } = context;
  return accountId === undefined ? undefined : loopTurns.takeFor(context, accountId);
}

function handled(request: FastifyRequest, next: CallHandler): Observable<unknown> {
  return contextOf(request).cancelled ? NEVER : next.handle();
}

/** Whether a value has more than MOST_LEVELS levels. Doesn't call itself. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let levels = 0; levels < MOST_LEVELS && level.length > 0; levels += 1)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  return level.some((one) => typeof one === 'object' && one !== null);
}

function tooDeep(): ApiError {
  return ApiError.of('invalid_request', `The body is nested more than ${MOST_LEVELS} levels deep.`);
}

function wrongType(): ApiError {
  return ApiError.of('invalid_format', 'The body must be application/json.', { field: 'Content-Type' });
}

function unreadableJson(error: Error): ApiError {
  return error instanceof errorCodes.FST_ERR_CTP_EMPTY_JSON_BODY
    ? ApiError.of('invalid_request', 'The body is empty; it must be a JSON object.')
    : ApiError.of('invalid_format', 'The body is not valid JSON.');
}

/** A form without fields. Throws for another type, even of an empty body. */
function emptyForm({ headers: { 'content-type': type } }: FastifyRequest): string {
  if (type !== undefined && !FORM_TYPE.test(type)) throw wrongType();
  return '';
}

/** Reads a body of at most so many bytes. Rejects with ApiError 400. */
function textOf({ raw, headers }: FastifyRequest, limitBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const tooLarge = (): void => {
      chunks.length = 0;
      reject(ApiError.of('invalid_request', 'The request body is too large.', { headers: { connection: 'close' } }));
    };
    if (Number(headers['content-length']) > limitBytes) {
      tooLarge();
      return;
    }
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) tooLarge();
      else chunks.push(chunk);
    });
    raw.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    raw.once('error', () => reject(ApiError.of('invalid_request', "The request couldn't be read.")));
  });
}
