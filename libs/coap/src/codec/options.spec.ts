import { describe, expect, it } from '@jest/globals';
import { blockBytes, decodeBlock, encodeBlock, szxOf } from './block-value.js';
import { Code, formatCode } from './code.js';
import { readRequestOptions, writeRequestOptions } from './request-options.js';
import { readResponseOptions, writeResponseOptions } from './response-options.js';
import { decodeUint, encodeUint } from './uint.js';

const option = (number: number, value: string | Buffer) => ({ number, value: Buffer.from(value as string) });

describe('codes', () => {
  it('are written with a dot', () => {
    expect([Code.Content, Code.Continue, Code.RequestEntityIncomplete, Code.IPATCH].map(formatCode)).toEqual([
      '2.05',
      '2.31',
      '4.08',
      '0.07',
    ]);
  });
});

describe('numbers in options', () => {
  it.each([0, 1, 255, 256, 65_535, 65_536, 0xff_ffff, 0x100_0000, 0xffff_ffff])('%d survives', (value) => {
    expect(decodeUint(encodeUint(value))).toBe(value);
  });

  it('are as short as possible', () => {
    expect([0, 255, 256, 70_000, 2 ** 31].map((value) => encodeUint(value).length)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('block options', () => {
  it.each([
    { num: 0, more: false, szx: 0 },
    { num: 1, more: true, szx: 6 },
    { num: 0xf_ffff, more: true, szx: 2 },
  ])('%j survives', (block) => {
    expect(decodeBlock(encodeBlock(block))).toEqual(block);
  });

  it('refuse the reserved size and a number of 21 bits', () => {
    expect(decodeBlock(Buffer.from([0x07]))).toBeUndefined();
    expect(() => encodeBlock({ num: 0x10_0000, more: false, szx: 0 })).toThrow('block number');
  });

  it('have sizes of a power of two', () => {
    expect([16, 31, 512, 1_024, 4_096, 1].map((bytes) => blockBytes(szxOf(bytes)))).toEqual([
      16, 16, 512, 1_024, 1_024, 16,
    ]);
  });
});

describe('request options', () => {
  it('survive', () => {
    const request = { method: Code.POST, path: ['rd', 'ä'], query: ['ep=a', 'Q'], contentFormat: 40, accept: 110 };
    const extras = { observe: 0, size1: 2_000, block1: { num: 1, more: true, szx: 6 } };
    expect(readRequestOptions(writeRequestOptions(request, extras))).toMatchObject({
      path: ['rd', 'ä'],
      query: ['ep=a', 'Q'],
      contentFormat: 40,
      accept: 110,
      ...extras,
    });
  });

  it.each([
    ['If-Match', 1, 'x', 1],
    ['OSCORE', 9, '', 9],
    ['an unknown odd number', 65_001, 'x', 65_001],
    ['a path segment of 256 bytes', 11, 'x'.repeat(256), 11],
    ['a path that is not UTF-8', 11, Buffer.from([0xff]), 11],
    ['an Accept of three bytes', 17, 'abc', 17],
    ['a Block1 of four bytes', 27, 'abcd', 27],
    ['an empty Uri-Host', 3, '', 3],
  ])('%s makes the request unusable', (_name, number, value, found) => {
    expect(readRequestOptions([option(number, value)])).toBe(found);
  });

  it('a critical option that may not repeat is unusable the second time', () => {
    expect(readRequestOptions([option(17, ''), option(17, '')])).toBe(17);
  });

  it.each([
    ['an unknown even number', 65_000, 'x'],
    ['a Content-Format of three bytes', 12, 'abc'],
    ['an Observe of four bytes', 6, 'abcd'],
  ])('%s is ignored', (_name, number, value) => {
    expect(readRequestOptions([option(number, value)])).toEqual({ path: [], query: [], etags: [], proxied: false });
  });
});

describe('response options', () => {
  it('survive', () => {
    const response = {
      code: Code.Created,
      locationPath: ['rd', 'a'],
      locationQuery: ['q'],
      etag: Buffer.from('e'),
      observe: 12,
      contentFormat: 0,
      maxAgeSeconds: 70_000,
    };
    const { code: _code, ...options } = response;
    expect(readResponseOptions(writeResponseOptions(response, {}))).toEqual(options);
  });

  it('refuse what has no place on the wire', () => {
    expect(() => writeResponseOptions({ code: 69, etag: Buffer.alloc(9) }, {})).toThrow('ETag');
    expect(() => writeResponseOptions({ code: 69, observe: 2 ** 24 }, {})).toThrow('24 bits');
  });

  it('with an unknown critical option are unusable', () => {
    expect(readResponseOptions([option(11, 'x')])).toBe(11);
  });
});
