/** Rows about Kafka, with added partitions and poison messages. A row about PostgreSQL is here too. */
import { sleep } from '../../tools/lanyard/project.ts';
import { DeviceValues, encodeMessage, fixtures, type ResourceValueArrived } from '@lanyard/contracts';
import { eventually, type Row } from '../experiment.ts';

const morePartitions: Row = {
  name: 'F15',
  about: 'partitions are added while consumers run: the new ones are read from their start',
  seconds: 6,
  inject: async (experiment) => {
    const { load, kafka } = experiment.system;
    await sleep(2_000);
    await experiment.fault('more partitions', {}, async () => {
      // Devices move to other partitions, so their order would not hold: new devices replace them.
      const previous = load.devices.splice(0);
      await load.stop();
      const admin = kafka.kafka.admin();
      await admin.connect();
      await admin.createPartitions({ topicPartitions: [{ topic: kafka.topicName(DeviceValues.name), count: 6 }] });
      await admin.disconnect();
      await experiment.system.renewProducer();
      for (const { tenant, kind, keyIds, channels } of previous)
        if (kind === 'values') for (let n = 0; n < 3; n++) load.addDevice({ tenant, kind, keyIds, channels });
      load.start(300);
    });
    await sleep(4_000);
  },
};

const example = () => {
  const value = fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived;
  return encodeMessage(DeviceValues, value, { source: 'faults' });
};

/** A message that is valid except for these headers. */
export const exampleWith = (headers: Record<string, string>) => {
  const message = example();
  return { ...message, headers: { ...message.headers, ...headers } };
};

const poisons: Record<string, () => { key: string | null; value: Buffer | null; headers: Record<string, string> }> = {
  'length beyond the value': () => exampleWith({ ce_itembytes: '999999' }),
  'length that cuts no object': () => exampleWith({ ce_itembytes: '17' }),
  'length that is no number': () => exampleWith({ ce_itembytes: 'many' }),
  'unknown category': () => exampleWith({ ce_category: 'rumours' }),
  'no account': () => exampleWith({ ce_account: '' }),
  'no value': () => ({ ...example(), value: null }),
};

const poison: Row = {
  name: 'F16',
  about: 'messages that cannot be read: to the dead letters, all others pass them',
  seconds: 8,
  inject: async (experiment) => {
    const { system, random } = experiment;
    await experiment.repeat(20, 200, async () => {
      const name = random.pick(Object.keys(poisons));
      const device = random.pick(system.load.devices);
      await experiment.fault(`poison: ${name}`, {}, async () => {
        const message = poisons[name]?.() ?? example();
        await system.producer.sendTo(system.kafka.topicName(DeviceValues.name), { ...message, key: device.id });
      });
    });
    const letters = () => system.endOf(`${DeviceValues.name}.dispatcher.dlq`);
    const sent = experiment.injections;
    await eventually(async () => (await letters()) >= sent, 20_000);
    const found = await letters();
    if (found !== sent) experiment.violation(`F16 ${sent} messages were poison, ${found} are in the dead letters`);
  },
};

const withoutPostgres: Row = {
  name: 'F17',
  about: 'SIGKILL of PostgreSQL: the API says 503, delivery continues; everything works when it is back',
  exclusive: true,
  seconds: 12,
  inject: (experiment) =>
    experiment.repeat(500, 1_500, async () => {
      const { infrastructure, system } = experiment;
      const [channel = ''] = experiment.channelsOf('callback');
      const status = async () => (await system.call(channel, 'GET', 'callback').catch(() => ({ status: 0 }))).status;
      await experiment.fault('kill PostgreSQL', { times: 1 }, async () => {
        await infrastructure.postgresql.kill();
        const answer = await status();
        if (answer !== 503) experiment.violation(`F17 without PostgreSQL the API answered ${answer}, not 503`);
        if (!(await experiment.delivers(5_000))) experiment.violation('F17 nothing was delivered without PostgreSQL');
        await infrastructure.postgresql.start();
      });
      if (!(await eventually(async () => (await status()) === 200, 20_000)))
        experiment.violation('F17 the API did not come back with PostgreSQL');
    }),
};

export const kafkaRows = [morePartitions, poison, withoutPostgres];
