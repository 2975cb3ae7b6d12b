import kafkajs, { type Admin } from 'kafkajs';

/** A value of a device may have 1 MiB; as base64 in JSON it needs a third more, and Kafka's own default is 1 MiB. */
export const messageBytesMax = 4_194_304;

const setting = 'max.message.bytes';

export const maxMessage = { name: setting, value: String(messageBytesMax) };

/**
 * Lets topics that were made before take messages of this size. What else was set for them stays: the request replaces
 * all settings of a topic, so those that are its own are sent along.
 */
export const enlarge = async (admin: Admin, topics: readonly string[]): Promise<void> => {
  if (topics.length === 0) return;
  const { ConfigResourceTypes, ConfigSource } = kafkajs;
  const type = ConfigResourceTypes.TOPIC;
  const described = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type, name })),
  });
  const resources = described.resources.flatMap(({ resourceName, configEntries }) => {
    if (configEntries.some((one) => one.configName === setting && Number(one.configValue) >= messageBytesMax))
      return [];
    const own = configEntries.filter(
      (one) => one.configSource === ConfigSource.TOPIC_CONFIG && one.configName !== setting,
    );
    const kept = own.map(({ configName, configValue }) => ({ name: configName, value: configValue }));
    return [{ type, name: resourceName, configEntries: [...kept, maxMessage] }];
  });
  if (resources.length > 0) await admin.alterConfigs({ validateOnly: false, resources });
};
