import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeviceModelChanged, DeviceModels, fixtures, modelKey } from '@lanyard/contracts';
import { createLogger, newId, openDatabase } from '@lanyard/service';
import { infrastructure, eventually, isolate, type Isolation } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { KafkaConnection, KafkaProducer, Outbox, OutboxRelay, outboxTable, StateReader } from '../src/index.js';
import { outboxProducer } from '../src/outbox/outbox.js';

const schema = 'fenced';
const outbox = new Outbox(schema, 'test');
const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
const accountId = newId();

const model = (object: number, name: string): DeviceModelChanged => ({
  ...(fixtures(DeviceModels).valid['one resource'] as DeviceModelChanged),
  accountId,
  object,
  name,
});

/** A process that is suspended just before it sends its request. */
const newGate = () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open, isReached: false };
};

describe('what a relay was sending when another one took over', () => {
  let isolation: Isolation;
  let database: DataSource;
  let connection: KafkaConnection;
  let models: StateReader<DeviceModelChanged, string>;
  let heard: string[];
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    isolation = await isolate('outbox-fence');
    const { databaseUrl: url, topicPrefix } = isolation;
    database = await openDatabase({ url, schema, entities: [], migrations: [], applicationName: 'test' });
    await database.query(outboxTable);
    connection = new KafkaConnection({
      brokers: infrastructure().brokers,
      clientId: 'test',
      topicPrefix,
      partitions: 2,
      logger,
    });
    await connection.ensureTopics([DeviceModels]);
    heard = [];
    models = new StateReader(connection, DeviceModels, { project: ({ name }) => name, onFatal: () => undefined });
    models.onChange((key, name) => heard.push(`${key.split('/')[1]} ${name ?? 'gone'}`));
    await models.start();
  });

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  afterAll(async () => {
    await models?.stop();
    await connection?.close();
    await database?.destroy();
    await isolation?.drop();
  });

  const newProducer = async (): Promise<KafkaProducer> => {
    const producer = new KafkaProducer(connection, { source: 'test', name: outboxProducer(schema) });
    await producer.connect();
    ends.push(() => producer.disconnect());
    return producer;
  };

  /** Blocks when it has rows to send, until the gate is open. */
  const relay = async (gate?: ReturnType<typeof newGate>): Promise<{ outcomes: string[] }> => {
    const producer = await newProducer();
    const outcomes: string[] = [];
    const started = new OutboxRelay({
      databaseUrl: isolation.databaseUrl,
      schema,
      logger,
      producer: {
        takeOver: () => producer.takeOver(),
        sendEncoded: async (topic, message) => {
          if (gate) gate.isReached = true;
          await gate?.opened;
          await producer.sendEncoded(topic, message).then(
            () => outcomes.push('stored'),
            (error: Error) => {
              outcomes.push(error.message);
              throw error;
            },
          );
        },
      },
    });
    started.start();
    ends.push(() => started.stop());
    return { outcomes };
  };

  const announce = (object: number, name: string | undefined): Promise<void> =>
    name === undefined
      ? outbox.appendTombstone(database.manager, DeviceModels, modelKey(accountId, object, '1.0'))
      : outbox.append(database.manager, DeviceModels, model(object, name));

  const endSessions = () =>
    database.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
      `${schema}-outbox`,
    ]);

  it.each([
    ['an older value', 1, 'newer'],
    ['a value of what is gone', 2, undefined],
  ])('is not stored behind it: %s', async (_, object, newest) => {
    const gate = newGate();
    const frozen = await relay(gate);
    await announce(object, 'older');
    await eventually(() => gate.isReached);
    await endSessions();
    const successor = await relay();
    await eventually(() => expect(successor.outcomes).toEqual(['stored']));
    await announce(object, newest);
    const all = [`${object} older`, `${object} ${newest ?? 'gone'}`];
    await eventually(() => expect(heard).toEqual(all));
    gate.open();
    await eventually(() => expect(frozen.outcomes).toHaveLength(1));
    await announce(object, 'last');
    await eventually(() => expect(heard.at(-1)).toBe(`${object} last`));
    expect(heard).toEqual([...all, `${object} last`]);
    expect(frozen.outcomes[0]).toMatch(/epoch/);
    heard.length = 0;
  });
});
