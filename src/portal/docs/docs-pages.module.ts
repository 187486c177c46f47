import { Inject, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { SessionsService } from '../../accounts/sessions.service.js';
import { AuthModule } from '../../auth/auth.module.js';
import type { Store } from '../../store/store.js';
import { STORE } from '../../store/store.module.js';
import { ConsoleController } from '../console/console.controller.js';
import { DocsController } from './docs.controller.js';
import { DocsLibrary } from './docs-library.js';
import { showMissingPages } from './missing-page.js';
import { OperationsService } from './operations.service.js';

/** The documentation, the console and the not-found page. */
@Module({
  imports: [AuthModule],
  controllers: [ConsoleController, DocsController],
  providers: [DocsLibrary, OperationsService],
})
export class DocsPagesModule {
  // The constructor runs before Nest registers its routes.
  constructor(host: HttpAdapterHost<FastifyAdapter>, sessions: SessionsService, @Inject(STORE) store: Store) {
    showMissingPages(host.httpAdapter.getInstance(), sessions, store);
  }
}
