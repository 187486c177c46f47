import { createHash } from 'node:crypto';
import { Controller, Get, Param } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { z } from 'zod';
import { Public } from '../auth/public.decorator.js';
import { Answer } from '../http/answer.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf } from '../http/operation-parts.js';
import { BODIES, SIZES, STYLE, silhouetteSvg } from '../representations/silhouettes.js';
import { markSvg, readMark } from '../representations/supplier-mark.js';
import { ApiError } from '../status/api-error.js';

const DOC = {
  tag: 'Pictures',
  answers: {
    200: ['The picture: it never changes.', z.string().meta({ id: 'Svg' }), 'image/svg+xml'],
    ...errorsOf(404),
  },
} as const;
const DIGEST = createHash('sha256').update(STYLE).digest('base64');
const HEADERS = {
  'content-type': 'image/svg+xml',
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${DIGEST}'`,
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** All silhouettes by the name of their file: a closed set, drawn once. */
const SILHOUETTES: ReadonlyMap<string, string> = new Map(
  BODIES.flatMap((body) =>
    SIZES.map((size): readonly [string, string] => [`${body}-${size}.svg`, silhouetteSvg({ body, size })]),
  ),
);

/**
 * Own drawings for pages of callers. They need no token, because browsers send none with pictures, and are made from
 * their names alone: no database, no registry, nothing about a supplier that the name doesn't say.
 */
@Controller('images')
@Public()
@SkipThrottle()
export class ImagesController {
  @Get('vehicles/:picture')
  @Operation({
    ...DOC,
    id: 'vehiclePicture',
    summary: 'Show the silhouette of a car',
    description: 'The address is image.url of a decoded SIPP code.',
  })
  vehicle(@Param('picture') name: string): Answer {
    return picture(SILHOUETTES.get(name));
  }

  @Get('suppliers/:mark')
  @Operation({
    ...DOC,
    id: 'supplierMark',
    summary: 'Show the mark of a supplier',
    description: 'The address is logo_url of a supplier.',
  })
  supplier(@Param('mark') name: string): Answer {
    const mark = name.endsWith('.svg') ? readMark(name.slice(0, -'.svg'.length)) : undefined;
    return picture(mark && markSvg(mark));
  }
}

/** Throws ApiError 404 if there is no such picture. */
function picture(svg: string | undefined): Answer {
  if (svg === undefined)
    throw ApiError.of('resource_failure', 'This picture does not exist. Use the address in a response.');
  return new Answer(200, svg, HEADERS);
}
