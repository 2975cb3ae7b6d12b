import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { checkVersion, replaceParts } from './replacements.js';
import { corrections, isReplaced, readReplacements, speedReplacements } from './switches.js';

const require = createRequire(import.meta.url);

/** Everything that a replacement may change. */
const changeable = (): unknown[] => [
  require('kafkajs/src/protocol/requests/produce/v3/request.js'),
  require('kafkajs/src/protocol/requests/fetch/v11/response.js').decode,
  ...[
    'protocol/encoder.js',
    'consumer/consumerGroup.js',
    'network/connection.js',
    'network/requestQueue/index.js',
  ].flatMap((path) => {
    const { prototype } = require(`kafkajs/src/${path}`) as { prototype: object };
    return Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }) => value as unknown);
  }),
];

describe('the switches of KAFKAJS_REPLACEMENTS', () => {
  it('are all, none, or some by name', () => {
    expect(readReplacements('all')).toEqual([...speedReplacements, ...corrections]);
    expect(readReplacements('none')).toEqual([]);
    expect(readReplacements('crc32c, same-member')).toEqual(['crc32c', 'same-member']);
  });

  it('are refused when there is no such replacement, and when one is missing that another needs', () => {
    expect(() => readReplacements('crc32c,crc64')).toThrow('no replacement crc64: there are ');
    expect(() => readReplacements('')).toThrow('no replacement');
    expect(() => readReplacements('bundles')).toThrow('bundles needs produce-request');
  });
});

describe('the replaced parts of kafkajs', () => {
  it('are those of one version', () => {
    checkVersion();
    expect(() => checkVersion('2.2.5')).toThrow('kafkajs 2.2.5 is installed, but libs/kafka replaces parts of 2.2.4');
  });

  it('stay as they are without a switch, and until others are asked for there are no others', () => {
    const before = changeable();
    replaceParts('none');
    expect(changeable()).toEqual(before);
    expect(isReplaced('same-member')).toBe(false);
    replaceParts('none');
    expect(() => replaceParts('all')).toThrow('are none in this process, not all');
  });
});
