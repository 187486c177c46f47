import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contextOf } from '../http/context.decorator.js';

/** An operation of the REST API that a tool calls. */
export interface OwnCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path with its version and query. */
  readonly url: string;
  /** Sent as JSON. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the operation answered. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Always a JSON object: no tool asks for an operation without a body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Headers of the MCP request that the operation gets as well. */
const PASSED = ['authorization', 'client_id', 'client-id', 'accept-language', 'traceparent', 'x-sandbox-scenario'];

/** Calls operations of this gateway in the same process, through everything that a request from outside goes through. */
@Injectable()
export class OwnCalls {
  constructor(private readonly adapters: HttpAdapterHost) {}

  /**
   * Calls an operation with the token of `request`, under its request id: limits, subscriptions, usage, and logs are
   * those of the operation. Its call is canceled if the client of `reply` leaves; then this rejects.
   */
  async send(call: OwnCall, request: FastifyRequest, reply: FastifyReply): Promise<OwnAnswer> {
    const fastify = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    const left = new AbortController();
    const leave = (): void => left.abort();
    reply.raw.once('close', leave);
    try {
      const { statusCode, headers, payload } = await fastify.inject({
        method: call.method,
        url: call.url,
        remoteAddress: request.ip,
        headers: { ...passed(request), ...call.headers, host: request.host },
        ...(call.body === undefined ? {} : { payload: call.body }),
        signal: left.signal,
      });
      const texts = Object.entries(headers).map(([name, value]) => [name, value === undefined ? value : String(value)]);
      return { status: statusCode, headers: Object.fromEntries(texts), body: JSON.parse(payload) as OwnAnswer['body'] };
    } finally {
      reply.raw.off('close', leave);
    }
  }
}

function passed(request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': contextOf(request).id, accept: 'application/json' };
  for (const name of PASSED) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}
