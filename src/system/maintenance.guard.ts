import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.module.js';
import { ApiError } from '../status/api-error.js';
import { OPERATIONAL } from './operational.decorator.js';

/** 503 with Retry-After for every API call while `maintenance.on` (spec §7.3); health and metrics stay up. */
@Injectable()
export class MaintenanceGuard implements CanActivate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { on, retryAfterSeconds } = this.config.maintenance;
    if (!on || this.reflector.get<boolean | undefined>(OPERATIONAL, context.getClass())) return true;
    throw ApiError.of('maintenance', `The service is down for maintenance. Try again in ${retryAfterSeconds} s.`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    });
  }
}
