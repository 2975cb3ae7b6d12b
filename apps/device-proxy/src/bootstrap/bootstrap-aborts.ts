import { Injectable } from '@nestjs/common';
import { AccessAccountsReader } from '../state/access-accounts.reader.js';
import { DeviceCredentialsReader } from '../state/device-credentials.reader.js';
import { DeviceDirectory } from '../state/device-directory.js';
import { RunningBootstraps } from './running-bootstraps.js';

/** Aborts bootstraps of devices that may no longer bootstrap, and those whose credential the registry has withdrawn. */
@Injectable()
export class BootstrapAborts {
  constructor(
    running: RunningBootstraps,
    directory: DeviceDirectory,
    accounts: AccessAccountsReader,
    credentials: DeviceCredentialsReader,
  ) {
    directory.onBlocked((deviceId, why) => running.abortDevice(deviceId, `the device was ${why}`));
    accounts.onChange((accountId) => {
      if (accounts.isSuspended(accountId)) running.abortAccount(accountId, 'the account was suspended');
    });
    // For example, because the device has begun another bootstrap on another replica.
    credentials.onChange((credentialId, credential, previous) => {
      if (!credential && previous?.deviceId !== undefined)
        running.abortDevice(previous.deviceId, 'its credential was withdrawn', credentialId);
    });
  }
}
