import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { type Database, openDatabase } from './database.js';

/** Injection token of the Database. */
export const DATABASE = Symbol('Database');

/** Provides the migrated database. */
@Global()
@Module({
  providers: [
    {
      provide: DATABASE,
      inject: [CONFIG],
      useFactory: (config: Config): Promise<Database> => openDatabase(config.databaseUrl, config.dataFolder),
    },
  ],
  exports: [DATABASE],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
