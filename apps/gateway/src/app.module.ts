import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsController } from './access/accounts.controller.js';
import { ApiKeysController } from './access/api-keys.controller.js';
import { ApiKeys } from './access/api-keys.service.js';
import { KeyGroupsController } from './access/key-groups.controller.js';
import { KeyGroups } from './access/key-groups.service.js';

export interface AppParts {
  database: DataSource;
  apiKeys: ApiKeys;
  keyGroups: KeyGroups;
}

/** What the gateway itself serves; everything else goes through the door (door/door.ts). */
@Module({})
export class AppModule {
  static of({ database, apiKeys, keyGroups }: AppParts): DynamicModule {
    return {
      module: AppModule,
      controllers: [ApiKeysController, KeyGroupsController, AccountsController],
      providers: [
        { provide: DataSource, useValue: database },
        { provide: ApiKeys, useValue: apiKeys },
        { provide: KeyGroups, useValue: keyGroups },
      ],
    };
  }
}
