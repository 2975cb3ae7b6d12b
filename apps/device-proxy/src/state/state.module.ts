import { AccountModels } from '@lanyard/lwm2m';
import { Module } from '@nestjs/common';
import { AccessAccountsReader } from './access-accounts.reader.js';
import { AccessKeysReader } from './access-keys.reader.js';
import { BootstrapProfilesReader } from './bootstrap-profiles.reader.js';
import { DeviceCredentialsReader } from './device-credentials.reader.js';
import { DeviceDirectory } from './device-directory.js';
import { DeviceGroupsReader } from './device-groups.reader.js';
import { DeviceLifecycleReader } from './device-lifecycle.reader.js';
import { DeviceModelsReader } from './device-models.reader.js';

/** Copies of what other services announce. All of them are read concurrently, before any other module starts. */
@Module({
  providers: [
    AccountModels,
    AccessAccountsReader,
    AccessKeysReader,
    BootstrapProfilesReader,
    DeviceCredentialsReader,
    DeviceDirectory,
    DeviceGroupsReader,
    DeviceLifecycleReader,
    DeviceModelsReader,
  ],
  exports: [
    AccountModels,
    AccessAccountsReader,
    AccessKeysReader,
    BootstrapProfilesReader,
    DeviceCredentialsReader,
    DeviceDirectory,
    DeviceGroupsReader,
    DeviceLifecycleReader,
  ],
})
export class StateModule {}
