import { mock } from 'node:test';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import kafkajs from 'kafkajs';
import { logTo } from './kafka-log.js';

const { logLevel } = kafkajs;

describe('the log of kafkajs', () => {
  afterEach(() => mock.reset());

  it('has a message once in 10 s, from the start of the process, whatever happens to the time of day', () => {
    let nowMs = 0;
    mock.method(performance, 'now', () => nowMs);
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = logTo(createLogger({ app: 'test', replicaId: 'test', level: 'warn', destination }))(logLevel.WARN);
    const logAt = (ms: number): number => {
      nowMs = ms;
      const content = { timestamp: '', message: 'Connection error' };
      log({ namespace: 'Connection', level: logLevel.ERROR, label: 'ERROR', log: content });
      return lines.length;
    };
    expect([logAt(5), logAt(9_000), logAt(10_005)]).toEqual([1, 1, 2]);
  });
});
