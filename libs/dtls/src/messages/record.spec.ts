import { describe, expect, it } from '@jest/globals';
import { UnencodableMessage } from '../errors.js';
import { ContentType, decodeRecord, decodeRecords, encodePlainRecord } from './record.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('records', () => {
  it('are read with their 48-bit number', () => {
    expect(decodeRecord(hex('17 fefd 0001 ffffffffffff 0002 abcd'), 0, 0)).toEqual({
      type: ContentType.ApplicationData,
      epoch: 1,
      sequence: 2 ** 48 - 1,
      connectionId: Buffer.alloc(0),
      fragment: hex('abcd'),
      end: 15,
    });
  });

  it('are read with a connection id of the known length', () => {
    expect(decodeRecord(hex('00 19 fefd 0001 000000000007 c1d0 0001 ab'), 1, 2)).toEqual({
      type: ContentType.ConnectionId,
      epoch: 1,
      sequence: 7,
      connectionId: hex('c1d0'),
      fragment: hex('ab'),
      end: 17,
    });
  });

  it('are written in epoch 0 as RFC 6347 §4.1 says', () => {
    const record = encodePlainRecord(ContentType.Handshake, 0x0102_0304_0506, hex('aabb'));
    expect(record.toString('hex')).toBe('16fefd0000010203040506' + '0002' + 'aabb');
    expect(decodeRecord(record, 0, 8)).toMatchObject({ type: 22, epoch: 0, sequence: 0x0102_0304_0506 });
  });

  it.each([
    ['a sequence number of 49 bits', 2 ** 48, 1],
    ['a negative sequence number', -1, 1],
    ['a fragment over 2^14', 0, 16_385],
  ])('%s cannot be written', (_, sequence, bytes) => {
    expect(() => encodePlainRecord(22, sequence, Buffer.alloc(bytes))).toThrow(UnencodableMessage);
  });

  it('the version may be 1.0 in epoch 0 only', () => {
    expect(decodeRecord(hex('16 feff 0000 000000000000 0001 ab'), 0, 0)).toBeDefined();
    expect(decodeRecord(hex('16 feff 0001 000000000000 0001 ab'), 0, 0)).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['an unknown type', '18 fefd 0000 000000000000 0001 ab'],
    ['a type below all', '13 fefd 0000 000000000000 0001 ab'],
    ['a type above all', '1a fefd 0000 000000000000 0001 ab'],
    ['a record of DTLS 1.3', '16 fefc 0000 000000000000 0001 ab'],
    ['a record of TLS 1.2', '16 0303 0000 000000000000 0001 ab'],
    ['a record that overruns the datagram', '16 fefd 0000 000000000000 0002 ab'],
    ['a connection id that overruns the datagram', '19 fefd 0001 000000000000 ab 00'],
  ])('%s is malformed', (_, text) => {
    expect(decodeRecord(hex(text), 0, 2)).toBeUndefined();
    expect(decodeRecords(hex(text), 2)).toEqual([]);
  });

  it('a connection id is malformed where none was given out', () => {
    expect(decodeRecord(hex('19 fefd 0001 000000000000 0001 ab'), 0, 0)).toBeUndefined();
  });

  it('a fragment has at most 2^14 + 2048 bytes', () => {
    const record = (bytes: number): Buffer => {
      const header = hex('17 fefd 0001 000000000000 0000');
      header.writeUInt16BE(bytes, 11);
      return Buffer.concat([header, Buffer.alloc(bytes)]);
    };
    expect(decodeRecord(record(18_432), 0, 0)?.fragment.length).toBe(18_432);
    expect(decodeRecord(record(18_433), 0, 0)).toBeUndefined();
  });

  it('share a datagram; what follows a malformed one is not read', () => {
    const [first, second] = [encodePlainRecord(20, 1, hex('01')), encodePlainRecord(22, 2, hex(''))];
    const all = decodeRecords(Buffer.concat([first, second, hex('ff'), first]), 0);
    expect(all.map(({ type, sequence }) => [type, sequence])).toEqual([
      [20, 1],
      [22, 2],
    ]);
  });

  it('at every shorter length are malformed', () => {
    const record = hex('19 fefd 0001 000000000007 c1d0 0003 abcdef');
    for (let length = 0; length < record.length; length += 1) {
      expect(decodeRecord(record.subarray(0, length), 0, 2)).toBeUndefined();
    }
  });
});
