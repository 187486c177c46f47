import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import { OAuthController } from '../auth/oauth.controller.js';
import { OAuthMetadataController } from '../auth/oauth-metadata.controller.js';
import { PRODUCT, PUBLIC } from '../auth/public.decorator.js';
import { TokenController } from '../auth/token.controller.js';
import { CatalogController } from '../catalog/catalog.controller.js';
import { RatesController } from '../catalog/rates.controller.js';
import { SearchesController } from '../catalog/searches.controller.js';
import { ImagesController } from '../content/images.controller.js';
import { SuppliersController } from '../content/suppliers.controller.js';
import { VehiclesController } from '../content/vehicles.controller.js';
import { OPERATION, type OperationDoc } from '../http/operation.decorator.js';
import { LocationController } from '../locations/location.controller.js';
import { LocationsController } from '../locations/locations.controller.js';
import { PlacesController } from '../locations/places.controller.js';
import { ReservationsController } from '../reservations/reservations.controller.js';
import { TestClockController } from '../reservations/test-clock.controller.js';
import { VoucherController } from '../reservations/voucher.controller.js';
import { DeliveriesController } from '../webhooks/deliveries.controller.js';
import { EndpointsController } from '../webhooks/endpoints.controller.js';
import { SystemController } from './system.controller.js';

/** An operation with the description of its handler (`@Operation`) and its routes. */
export interface ApiOperation extends OperationDoc {
  /** In lowercase. */
  readonly method: string;
  /** With `{name}` for path parameters; the first path is the canonical one. */
  readonly paths: readonly string[];
  readonly isPublic: boolean;
}

/** The controllers of the public API, in the order of its description. */
export const API_CONTROLLERS: readonly Type<object>[] = [
  TokenController,
  OAuthController,
  OAuthMetadataController,
  LocationsController,
  LocationController,
  PlacesController,
  CatalogController,
  SearchesController,
  RatesController,
  ReservationsController,
  VoucherController,
  EndpointsController,
  DeliveriesController,
  SuppliersController,
  VehiclesController,
  ImagesController,
  TestClockController,
  SystemController,
];

/** The operations of a controller, in the order of its methods. Throws for a handler without `@Operation`. */
export function operationsOf(controller: Type<object>): readonly ApiOperation[] {
  return handlersOf(controller).map((handler) => {
    const doc = reflector.get<OperationDoc | undefined>(OPERATION, handler);
    if (!doc) throw new Error(`${controller.name}.${handler.name} has no @Operation`);
    return {
      ...doc,
      method: (RequestMethod[reflector.get<RequestMethod>(METHOD_METADATA, handler)] ?? '').toLowerCase(),
      paths: pathsOf(controller, handler),
      isPublic: reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [handler, controller]) ?? false,
    };
  });
}

type Handler = () => unknown;

const reflector = new Reflector();

function handlersOf({ prototype }: Type<object>): Handler[] {
  return Object.getOwnPropertyNames(prototype)
    .map((name) => Object.getOwnPropertyDescriptor(prototype, name)?.value as unknown)
    .filter((value): value is Handler => typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value));
}

/**
 * The routes of a handler; those of a product are also served without the version (VersionRouter). Not described without it: a
 * route below an id that follows the product directly, which reads like the id of another route.
 */
function pathsOf(controller: Type<object>, handler: Handler): readonly string[] {
  const [prefix] = textsOf(controller);
  const routes = textsOf(handler).map((path) => joined(prefix, path));
  const isProduct = reflector.getAllAndOverride<string | undefined>(PRODUCT, [handler, controller]) !== undefined;
  const isPlain = (route: string): boolean => !/cars\/reservation\/[:{]\w+\}?\/./.test(route);
  const short = routes.map((route) => route.replace(/\/v\d+(?=\/|$)/, '')).filter(isPlain);
  return isProduct ? [...routes, ...short] : routes;
}

function textsOf(target: Handler | Type<object>): string[] {
  return [reflector.get<string | string[]>(PATH_METADATA, target)].flat();
}

function joined(...parts: readonly (string | undefined)[]): string {
  const segments = parts.flatMap((part) => part?.split('/') ?? []).filter((segment) => segment !== '');
  return `/${segments.map((segment) => segment.replace(/^:(.+)$/, '{$1}')).join('/')}`;
}

/** Every operation of the public API. */
export const operations: readonly ApiOperation[] = API_CONTROLLERS.flatMap(operationsOf);
