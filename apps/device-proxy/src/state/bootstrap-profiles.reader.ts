import { type BootstrapProfileChanged, BootstrapProfiles } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';

/** This replica's copy of the bootstrap profiles that the registry announces. */
@Injectable()
export class BootstrapProfilesReader extends StateReader<BootstrapProfileChanged> {
  constructor(kafka: KafkaConnection) {
    super(kafka, BootstrapProfiles, { project: (profile) => profile });
  }
}
