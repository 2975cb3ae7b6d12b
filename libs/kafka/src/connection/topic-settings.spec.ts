import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { changeOf, compaction, durabilityOf, messageBytesMax, type TopicSettings } from './topic-settings.js';

const { DEFAULT_CONFIG, STATIC_BROKER_CONFIG, TOPIC_CONFIG } = kafkajs.ConfigSource;

const topic = (replicas: number, minimum: string, source = DEFAULT_CONFIG, bytes = messageBytesMax): TopicSettings => ({
  name: 't',
  replicas,
  entries: [
    { configName: 'max.message.bytes', configValue: String(bytes), configSource: TOPIC_CONFIG },
    { configName: 'min.insync.replicas', configValue: minimum, configSource: source },
    { configName: 'segment.bytes', configValue: '7', configSource: DEFAULT_CONFIG },
  ],
});

const nothing = { unreplicated: [], unconfirmed: [] };

describe('what a topic has to be given', () => {
  it.each([DEFAULT_CONFIG, STATIC_BROKER_CONFIG])('with three replicas: that two confirm (source %s)', (source) => {
    const three = topic(3, '1', source);
    expect(changeOf(three, 2)?.configEntries).toEqual([
      { name: 'max.message.bytes', value: String(messageBytesMax) },
      { name: 'min.insync.replicas', value: '2' },
    ]);
    expect(durabilityOf([three], 2)).toEqual(nothing);
  });

  it('room for large messages, and its own settings stay', () => {
    expect(changeOf(topic(3, '3', TOPIC_CONFIG, 1_000), 2)?.configEntries).toEqual([
      { name: 'min.insync.replicas', value: '3' },
      { name: 'max.message.bytes', value: String(messageBytesMax) },
    ]);
  });

  it('compaction where an operator has created it without, and its own settings stay', () => {
    const withPolicy = (configValue: string): TopicSettings => {
      const three = topic(3, '2', STATIC_BROKER_CONFIG);
      const policy = { configName: 'cleanup.policy', configValue, configSource: DEFAULT_CONFIG };
      return { ...three, entries: [...three.entries, policy] };
    };
    for (const deleting of ['delete', 'compact,delete']) {
      expect(changeOf(withPolicy(deleting), 2, messageBytesMax, true)?.configEntries).toEqual([
        { name: 'max.message.bytes', value: String(messageBytesMax) },
        ...compaction,
      ]);
      expect(changeOf(withPolicy(deleting), 2)).toBeUndefined();
    }
    expect(changeOf(withPolicy('compact'), 2, messageBytesMax, true)).toBeUndefined();
  });

  it('more room where messages are larger, once', () => {
    const larger = messageBytesMax + 1_000;
    expect(changeOf(topic(3, '2', STATIC_BROKER_CONFIG), 2, larger)?.configEntries).toEqual([
      { name: 'max.message.bytes', value: String(larger) },
    ]);
    expect(changeOf(topic(3, '2', STATIC_BROKER_CONFIG, larger), 2, larger)).toBeUndefined();
  });

  it('nothing where enough confirm, where one was asked for, and where a second may be missing', () => {
    expect(changeOf(topic(3, '2', STATIC_BROKER_CONFIG), 2)).toBeUndefined();
    expect(changeOf(topic(3, '1'), 1)).toBeUndefined();
    expect(changeOf(topic(2, '1'), 2)).toBeUndefined();
    expect(changeOf(topic(1, '1'), 2)).toBeUndefined();
  });
});

describe('what is complained about', () => {
  it('one replica; several of which one is enough', () => {
    expect(durabilityOf([topic(1, '1')], 2)).toEqual({ unreplicated: ['t'], unconfirmed: [] });
    expect(durabilityOf([topic(2, '1')], 2)).toEqual({ unreplicated: [], unconfirmed: ['t'] });
    expect(durabilityOf([topic(3, '1', TOPIC_CONFIG)], 2)).toEqual({ unreplicated: [], unconfirmed: ['t'] });
  });

  it('nothing where enough confirm, and where one was asked for', () => {
    expect(durabilityOf([topic(3, '2', TOPIC_CONFIG)], 2)).toEqual(nothing);
    expect(durabilityOf([topic(1, '1'), topic(3, '1', TOPIC_CONFIG)], 1)).toEqual(nothing);
  });
});
