import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../status/api-error.js';

/** Settings of a route that differ from the defaults. */
export interface RouteSettings {
  /** Whether the route accepts form bodies, as undecoded text. All other routes reject forms. */
  readonly readsForm?: boolean;
  /** Formats all errors of the route, if they don't use the status container. */
  readonly writeError?: (error: ApiError) => {
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Headers of all errors of the route, besides the error's own. */
  readonly errorHeaders?: (error: ApiError, request: FastifyRequest) => Readonly<Record<string, string>>;
}

/** Sets the settings of a handler. If it has several of these decorators, the last one applies. */
export const Settings = (settings: RouteSettings) => RouteConfig(settings);

/** The settings of a request's route; empty if no route matched. */
export function routeSettings(request: FastifyRequest): RouteSettings {
  return (request.routeOptions.config as RouteSettings | undefined) ?? {};
}
