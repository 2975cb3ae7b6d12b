import { AccountModels } from '@lanyard/lwm2m';
import { Module } from '@nestjs/common';
import { AccessAccountsReader } from './access-accounts.reader.js';
import { AccessKeysReader } from './access-keys.reader.js';
import { DeviceCredentialsReader } from './device-credentials.reader.js';
import { DeviceLifecycleReader } from './device-lifecycle.reader.js';
import { DeviceModelsReader } from './device-models.reader.js';

/** Copies of what other services announce. All of them are read, at the same time, before any other module starts. */
@Module({
  providers: [
    AccountModels,
    AccessAccountsReader,
    AccessKeysReader,
    DeviceCredentialsReader,
    DeviceLifecycleReader,
    DeviceModelsReader,
  ],
  exports: [AccountModels, AccessAccountsReader, AccessKeysReader, DeviceCredentialsReader, DeviceLifecycleReader],
})
export class StateModule {}
