import { type DeviceCredentialChanged, DeviceCredentials } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import { knownCredential } from './known-credential.js';

/** This replica's copy of the credentials of devices that the registry announces. */
@Injectable()
export class DeviceCredentialsReader extends StateReader<DeviceCredentialChanged> {
  constructor(kafka: KafkaConnection) {
    super(kafka, DeviceCredentials, { project: knownCredential });
  }
}
