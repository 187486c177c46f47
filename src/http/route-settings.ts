import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../status/api-error.js';

/** How a route differs from the others. */
export interface RouteSettings {
  /** It reads a form; its body arrives as the undecoded text. Every other route refuses forms. */
  readonly readsForm?: boolean;
  /** Writes its errors in another form than the status container, wherever in the gateway they come from. */
  readonly writeError?: (error: ApiError) => {
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

/** Sets them for a handler. The last decorator of a handler counts. */
export const Settings = (settings: RouteSettings) => RouteConfig(settings);

/** Those of the route of a request; none when no route matched. */
export function routeSettings(request: FastifyRequest): RouteSettings {
  return (request.routeOptions.config as RouteSettings | undefined) ?? {};
}
