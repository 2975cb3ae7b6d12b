import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { CommonConfig } from '../config/common.js';
import { Health } from '../health/health.js';
import { StopDeadline } from '../lifecycle/stop-deadline.js';
import { CONFIG } from '../tokens.js';
import { type DatabaseOptions, openDatabase } from './open-database.js';

/**
 * The app's schema of PostgreSQL: a DataSource that is connected and migrated, and a readiness check. The connections
 * are closed when the app shuts down.
 */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  static forRoot<C extends CommonConfig>(databaseOf: (config: C) => DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: DataSource, inject: [CONFIG], useFactory: (config: C) => openDatabase(databaseOf(config)) },
      ],
      exports: [DataSource],
    };
  }

  constructor(
    @Inject(DataSource) private readonly database: DataSource,
    @Inject(StopDeadline) private readonly deadline: StopDeadline,
    @Inject(Health) health: Health,
  ) {
    health.add('postgresql', async () => void (await database.query('SELECT 1')));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('postgresql', () => this.database.destroy());
  }
}
