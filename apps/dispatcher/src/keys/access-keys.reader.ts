import { type AccessKeyChanged, AccessKeys } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import { type KeyRecord, keyRecord } from './key-record.js';

/**
 * Whether the outbox of the gateway repeats a change that a later one has followed: a key that was switched off and on again would
 * lose its sockets. A restored database counts revisions from an earlier one on, but its changes are later; a deletion is always
 * the last change.
 */
const isOutdated = ({ status, revision, changedAtMs }: KeyRecord, known: KeyRecord): boolean =>
  status !== 'deleted' && revision < known.revision && changedAtMs <= known.changedAtMs;

/** This replica's copy of the API keys that the gateway has announced. */
@Injectable()
export class AccessKeysReader extends StateReader<AccessKeyChanged, KeyRecord> {
  constructor(kafka: KafkaConnection) {
    super(kafka, AccessKeys, { project: keyRecord, isOutdated });
  }
}
