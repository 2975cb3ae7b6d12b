import { type AccessKeyChanged, AccessKeys } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';

/** This replica's copy of the API keys that the gateway announces. */
@Injectable()
export class AccessKeysReader extends StateReader<AccessKeyChanged> {
  constructor(kafka: KafkaConnection) {
    super(kafka, AccessKeys, { project: (key) => key });
  }
}
