import { applyDecorators, Controller, Post, UseFilters, UseGuards } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { Public } from '../../auth/public.decorator.js';
import { ReadsForm } from '../../http/form-body.js';
import { Operational } from '../../system/operational.decorator.js';
import { PageErrorFilter } from './page-error.filter.js';
import { PortalGuard } from './portal.guard.js';

/** A controller of pages: no access token, no API limits, up during maintenance; sessions and errors as pages. */
export const Pages = (path = '') =>
  applyDecorators(
    Controller(path),
    Public(),
    SkipThrottle(),
    Operational(),
    UseGuards(PortalGuard),
    UseFilters(PageErrorFilter),
  );

/** A POST that reads a form of a page. */
export const Submit = (path: string) => applyDecorators(Post(path), ReadsForm());
