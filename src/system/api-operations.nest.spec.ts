import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Controller, Get, Put } from '@nestjs/common';
import { PRODUCT, Product, Public } from '../auth/public.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { ABOUT_RENTERS } from '../reservations/personal-data.js';
import { API_CONTROLLERS, operations, operationsOf } from './api-operations.js';

const doc = (id: string) => ({ id, tag: 'Test', summary: 'A test', answers: {} });

@Controller('cars/test')
@Product('car_reservation')
class ProductController {
  helper(): void {}

  @Put(['v1/:test_id', 'v1'])
  @Operation(doc('second'))
  second(): void {}

  @Get('v1')
  @Public()
  @Operation(doc('first'))
  first(): void {}
}

@Controller('oauth')
class PlainController {
  @Get('test/v1')
  @Operation(doc('plain'))
  plain(): void {}
}

@Controller()
class UndescribedController {
  @Get('secret')
  secret(): void {}
}

test('request records of all operations about reservations are erased with one', () => {
  const reservations = API_CONTROLLERS.filter((one) => Reflect.getMetadata(PRODUCT, one) === 'car_reservation');
  const ids = reservations.flatMap(operationsOf).map(({ id }) => id);
  expect([...ABOUT_RENTERS].sort()).toEqual(ids.sort());
});

describe('operationsOf', () => {
  test("reads method, paths and access from the routes' decorators, in method order", () => {
    expect(operationsOf(ProductController)).toEqual([
      {
        ...doc('second'),
        method: 'put',
        paths: ['/cars/test/v1/{test_id}', '/cars/test/v1', '/cars/test/{test_id}', '/cars/test'],
        isPublic: false,
      },
      { ...doc('first'), method: 'get', paths: ['/cars/test/v1', '/cars/test'], isPublic: true },
    ]);
  });

  test('adds paths without a version for products only', () => {
    expect(operationsOf(PlainController)[0]?.paths).toEqual(['/oauth/test/v1']);
  });

  test('rejects a handler without a description', () => {
    expect(() => operationsOf(UndescribedController)).toThrow('UndescribedController.secret has no @Operation');
  });
});

describe('operations', () => {
  test('include every controller outside the portal, except /mcp, which is JSON-RPC', () => {
    const src = join(import.meta.dirname, '..');
    const declared = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.controller.ts') && !/^(portal|mcp)\b/.test(name))
      .flatMap((name) => [...readFileSync(join(src, name), 'utf8').matchAll(/^export class (\w+Controller)\b/gm)])
      .map(([, name]) => name);
    expect(declared.sort()).toEqual(API_CONTROLLERS.map(({ name }) => name).sort());
  });

  test('have unique ids', () => {
    const ids = operations.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });
});
