import { stateCompactionLagMs } from '@lanyard/contracts';
import kafkajs, { type Admin, type ConfigEntries, type IResourceConfig, type ITopicConfig } from 'kafkajs';

/**
 * A value of a device may have 1 MiB; as base64 it needs a third more. The message of the first value of a subscription has it
 * three times: as the value, and with the answer in the value and in a header. Kafka's own default is 1 MiB.
 */
export const messageBytesMax = 5_242_880;

/** A dead letter has more headers than its source message, and may share a request with those of other partitions. */
export const deadLetterBytesMax = messageBytesMax + 1_048_576;

/** With `acks: -1`, Kafka confirms what this many brokers have stored. Its default of 1 promises nothing when a leader is lost. */
export const defaultMinInsyncReplicas = 2;

/** With fewer replicas than this, a minimum of 2 would stop writes as soon as one broker is down. */
const replicasForMinimum = 3;

const size = 'max.message.bytes';
const minimum = 'min.insync.replicas';
const policy = 'cleanup.policy';

export const sizeSetting = (bytesMax: number) => ({ name: size, value: String(bytesMax) });

/** Of topics of state. By Kafka's defaults, a topic that an operator has created deletes values that are older than a week. */
export const compaction = [
  { name: policy, value: 'compact' },
  { name: 'min.compaction.lag.ms', value: String(stateCompactionLagMs) },
  { name: 'delete.retention.ms', value: String(stateCompactionLagMs) },
];

export const isCompacted = ({ configEntries = [] }: ITopicConfig): boolean =>
  configEntries.some(({ name, value }) => name === policy && value === 'compact');

export interface TopicSettings {
  name: string;
  /** Number of replicas of the partition that has the fewest. */
  replicas: number;
  entries: Pick<ConfigEntries, 'configName' | 'configValue' | 'configSource'>[];
}

export interface Durability {
  /** Topics with one replica: what Kafka confirms is as safe as the disk of one broker. */
  unreplicated: string[];
  /** Topics that have replicas, and do not wait for them. */
  unconfirmed: string[];
}

const textOf = ({ entries }: TopicSettings, name: string): string | undefined =>
  entries.find(({ configName }) => configName === name)?.configValue;

const valueOf = (topic: TopicSettings, name: string): number | undefined => {
  const text = textOf(topic, name);
  return text === undefined ? undefined : Number(text);
};

const isOwn = ({ configSource }: { configSource: number }): boolean =>
  configSource === (kafkajs.ConfigSource.TOPIC_CONFIG as number);

/** A minimum that an operator has set for this topic is kept. */
const raisesMinimum = (topic: TopicSettings, wanted: number): boolean =>
  topic.replicas >= replicasForMinimum &&
  (valueOf(topic, minimum) ?? wanted) < wanted &&
  !topic.entries.some((entry) => entry.configName === minimum && isOwn(entry));

/** The settings to send for a topic; undefined if it needs none. The request replaces all, so the topic's own are included. */
export const changeOf = (
  topic: TopicSettings,
  minInsyncReplicas: number,
  bytesMax = messageBytesMax,
  mustCompact = false,
): IResourceConfig | undefined => {
  const changes = [
    ...((valueOf(topic, size) ?? bytesMax) < bytesMax ? [sizeSetting(bytesMax)] : []),
    ...(raisesMinimum(topic, minInsyncReplicas) ? [{ name: minimum, value: String(minInsyncReplicas) }] : []),
    ...(mustCompact && (textOf(topic, policy) ?? 'compact') !== 'compact' ? compaction : []),
  ];
  if (changes.length === 0) return undefined;
  const kept = topic.entries
    .filter((entry) => isOwn(entry) && !changes.some(({ name }) => name === entry.configName))
    .map(({ configName, configValue }) => ({ name: configName, value: configValue }));
  return { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic.name, configEntries: [...kept, ...changes] };
};

/** What is left to complain about when all changes have been made. */
export const durabilityOf = (topics: readonly TopicSettings[], minInsyncReplicas: number): Durability => {
  const wanting = minInsyncReplicas > 1 ? topics : [];
  return {
    unreplicated: wanting.filter(({ replicas }) => replicas === 1).map(({ name }) => name),
    unconfirmed: wanting
      .filter((topic) => topic.replicas > 1 && !raisesMinimum(topic, minInsyncReplicas))
      .filter((topic) => (valueOf(topic, minimum) ?? minInsyncReplicas) < minInsyncReplicas)
      .map(({ name }) => name),
  };
};

export const topicSettings = async (admin: Admin, names: string[]): Promise<TopicSettings[]> => {
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const [{ topics }, { resources }] = await Promise.all([
    admin.fetchTopicMetadata({ topics: names }),
    admin.describeConfigs({ includeSynonyms: false, resources: names.map((name) => ({ type, name })) }),
  ]);
  return resources.map(({ resourceName: name, configEntries: entries }) => {
    const { partitions = [] } = topics.find((topic) => topic.name === name) ?? {};
    return { name, entries, replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)) };
  });
};
