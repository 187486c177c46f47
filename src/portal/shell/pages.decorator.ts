import { applyDecorators, Controller, Post, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { Public } from '../../auth/public.decorator.js';
import { ReadsForm } from '../../http/request-body.js';
import { Operational } from '../../system/operational.decorator.js';
import { PageErrorFilter } from './page-error.filter.js';
import { PageOrigin } from './page-origin.js';
import { PortalGuard } from './portal.guard.js';

/** A controller of pages: no access token or API limits, available during maintenance, with sessions and error pages. */
export const Pages = (path = '') =>
  applyDecorators(
    Controller(path),
    Public(),
    SkipThrottle(),
    Operational(),
    UseGuards(PortalGuard),
    UseInterceptors(PageOrigin),
    UseFilters(PageErrorFilter),
  );

/** A POST route that reads a form. */
export const Submit = (path: string) => applyDecorators(Post(path), ReadsForm());
