import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PRODUCT } from '../auth/public.decorator.js';
import { CONFIG, type Config } from '../config/config.module.js';
import type { ContextRequest } from '../http/open-request.js';
import { OPERATION, type OperationDoc } from '../http/operation.decorator.js';
import { ApiError } from '../status/api-error.js';
import { retryAfterUntil } from '../status/maintenance-retry-after.js';
import { MaintenanceService } from './maintenance.service.js';
import { SERVICE } from './maintenance-switch.js';
import { OPERATIONAL } from './operational.decorator.js';

/**
 * 503 with Retry-After for calls of a service or product that is in maintenance (spec §7.3), by the setting
 * `maintenance.on` or an operator; health and metrics stay up. Retry-After is the time until the announced end, if there is one;
 * the message then says until when.
 */
@Injectable()
export class MaintenanceGuard implements CanActivate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly reflector: Reflector,
    private readonly maintenance: MaintenanceService,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.get<boolean | undefined>(OPERATIONAL, context.getClass())) return true;
    const targets = [context.getHandler(), context.getClass()];
    const product = this.reflector.getAllAndOverride<string | undefined>(PRODUCT, targets);
    const { on, retryAfterSeconds } = this.config.maintenance;
    const ofService = this.maintenance.of(SERVICE);
    const ofProduct = product === undefined ? undefined : this.maintenance.of(product);
    const operation = this.reflector.get<OperationDoc | undefined>(OPERATION, context.getHandler())?.id;
    const ofOperation = operation === undefined ? undefined : this.maintenance.ofOperation(operation);
    if (!on && !ofService && !ofProduct && !ofOperation) return true;
    context.switchToHttp().getRequest<ContextRequest>().isMaintenance = true;
    const isAll = on || ofService !== undefined;
    const subject = isAll ? 'The service' : ofProduct ? `The product ${product}` : `The operation ${operation}`;
    const end = (isAll ? ofService : (ofProduct ?? ofOperation))?.until?.getTime();
    const seconds = retryAfterUntil(end, retryAfterSeconds);
    const when = end === undefined ? `. Try again in ${seconds} s.` : ` until ${utc(end)}.`;
    throw ApiError.of('maintenance', `${subject} is down for maintenance${when}`, {
      headers: { 'retry-after': seconds },
    });
  }
}

function utc(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
