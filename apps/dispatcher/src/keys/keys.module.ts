import { Module, type OnModuleInit } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { AccessKeysReader } from './access-keys.reader.js';
import { DeviceGroupsReader } from './device-groups.reader.js';
import { KeyDirectory } from './key-directory.js';
import { KeyScopes } from './key-scopes.js';
import { PendingKeyChanges } from './pending-key-changes.js';

/** API keys: all are read before anything above this module starts, and their changes from then on. */
@Module({
  imports: [QueueModule],
  providers: [AccessKeysReader, DeviceGroupsReader, KeyDirectory, KeyScopes, PendingKeyChanges],
  exports: [KeyDirectory, KeyScopes, PendingKeyChanges],
})
export class KeysModule implements OnModuleInit {
  constructor(private readonly pending: PendingKeyChanges) {}

  onModuleInit(): void {
    this.pending.follow();
  }
}
