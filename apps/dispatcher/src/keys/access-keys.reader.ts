import { type AccessKeyChanged, AccessKeys } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import { type KeyRecord, keyRecord } from './key-record.js';

/** This replica's copy of the API keys that the gateway has announced. */
@Injectable()
export class AccessKeysReader extends StateReader<AccessKeyChanged, KeyRecord> {
  constructor(kafka: KafkaConnection) {
    super(kafka, AccessKeys, { project: keyRecord });
  }
}
