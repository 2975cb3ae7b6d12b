import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessAccounts } from '@lanyard/contracts';
import { createLogger, startsWithin } from '@lanyard/service';
import { infrastructure, type Isolation, isolate, TcpLine } from '@lanyard/testing';
import { findMessage, KafkaConnection, SearchTimedOut, StateReader } from '../src/index.js';

describe('a Kafka that goes silent', () => {
  let isolation: Isolation;
  let line: TcpLine;
  let connection: KafkaConnection;

  beforeAll(async () => {
    isolation = await isolate('silent-broker');
    line = await TcpLine.toKafka(infrastructure().brokers[0] as string);
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const { topicPrefix } = isolation;
    connection = new KafkaConnection({ brokers: [line.address], clientId: 'test', topicPrefix, logger });
    await connection.ensureTopics([AccessAccounts]);
  });
  afterAll(async () => {
    await connection?.close();
    line?.close();
    await isolation?.drop();
  });

  it('in the middle of a start: its deadline names it, and what is read of it', async () => {
    const reader = new StateReader(connection, AccessAccounts, { project: (value) => value, onFatal: () => undefined });
    line.swallow();
    const starting = reader.start();
    await expect(startsWithin(1_000, starting)).rejects.toThrow(
      `Waiting for: Kafka at ${line.address}: topic ${AccessAccounts.name}`,
    );
    line.heal();
    await starting;
    await reader.stop();
  });

  it('before a search has found where to read: the search takes no longer than it may', async () => {
    line.swallow();
    const within = [{ topic: AccessAccounts.name, fromMs: 0, toMs: Date.now() }];
    const searching = findMessage(connection, { id: 'none', within, timeoutMs: 500 });
    await expect(searching).rejects.toThrow(SearchTimedOut);
    line.heal();
  });
});
