import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keyBlockBytes } from '../crypto/key-block.js';
import { packBytes } from '../crypto/packed-bytes.js';
import { createProtection } from '../crypto/protection.js';
import { CIPHER_SUITES, type CipherSuite } from '../crypto/suites.js';
import { RecordTooLarge, SequenceExhausted } from '../errors.js';
import { SEQUENCE_MAX } from '../limits.js';
import { ContentType, decodeRecord, decodeRecords, type WireRecord } from '../messages/record.js';
import { Epoch, type EpochOptions, type OpenedRecord } from './epoch.js';

const NO_ID = Buffer.alloc(0);
const ID = Buffer.from('c1d0000000000007', 'hex');
const TEXT = Buffer.from('21.5 degrees of something that is as long as a report often is..');

type Options = Partial<EpochOptions>;

const cases = CIPHER_SUITES.flatMap((suite) =>
  [NO_ID, ID].map((id) => [`${suite.name}${id.length > 0 ? ' with a connection id' : ''}`, suite, id] as const),
);

/** Both ends of an epoch: the client sends with `id`. */
const pairOf = (suite: CipherSuite, id = NO_ID, client: Options = {}, server: Options = {}) => {
  const keys = randomBytes(keyBlockBytes(suite));
  const packed = packBytes(keys);
  return {
    keys,
    packed,
    client: new Epoch({
      number: 1,
      protection: createProtection(suite, packed, 'client'),
      sendConnectionId: id,
      ...client,
    }),
    server: new Epoch({
      number: 1,
      protection: createProtection(suite, packed, 'server'),
      receiveConnectionId: id,
      ...server,
    }),
  };
};

const wire = (record: Buffer, idBytes = ID.length): WireRecord => {
  const read = decodeRecord(record, 0, idBytes);
  if (read?.end !== record.length) throw new Error(`Not one record: ${record.toString('hex')}`);
  return read;
};

const opened = (epoch: Epoch, record: Buffer): OpenedRecord => {
  const result = epoch.open(wire(record));
  if (typeof result === 'string') throw new Error(`Refused as ${result}`);
  return result;
};

/** AES-CCM of RFC 3610 with a nonce of 12 bytes, from AES on single blocks. */
const ccm = (key: Buffer, nonce: Buffer, additional: Buffer, text: Buffer, tagBytes: number): Buffer => {
  const aes = (block: Buffer): Buffer => createCipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(block);
  const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, at) => byte ^ b[at]!));
  const length = (value: number, bytes: number): Buffer =>
    Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex');
  const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16)]);
  const blocks = Buffer.concat([
    Buffer.from([0x40 | (((tagBytes - 2) / 2) << 3) | 2]),
    nonce,
    length(text.length, 3),
    padded(Buffer.concat([length(additional.length, 2), additional])),
    padded(text),
  ]);
  let mac: Buffer = Buffer.alloc(16);
  for (let at = 0; at < blocks.length; at += 16) mac = aes(xor(blocks.subarray(at, at + 16), mac));
  const counter = (index: number): Buffer => aes(Buffer.concat([Buffer.from([2]), nonce, length(index, 3)]));
  const stream = Buffer.concat(Array.from({ length: Math.ceil(text.length / 16) }, (_, index) => counter(index + 1)));
  return Buffer.concat([xor(text, stream), xor(mac, counter(0)).subarray(0, tagBytes)]);
};

describe('the layout of a sealed record', () => {
  const sequence = 0x0123_4567_89ab;
  const [gcm, , ccm8, cbc] = CIPHER_SUITES as [CipherSuite, CipherSuite, CipherSuite, CipherSuite];
  const number = Buffer.from('00010123456789ab', 'hex');
  // RFC 6347 §4.1.2.1: record number, type, version, length.
  const plainAdditional = (length: string): Buffer => Buffer.concat([number, Buffer.from(`17fefd${length}`, 'hex')]);
  // RFC 9146 §5.3: placeholder, tls12_cid, cid_length, tls12_cid, version, record number, cid, length.
  const idAdditional = (length: string): Buffer =>
    Buffer.from(`ffffffffffffffff${'19'}08${'19'}fefd${number.toString('hex')}${ID.toString('hex')}${length}`, 'hex');
  const idHeader = `19fefd${number.toString('hex')}${ID.toString('hex')}`;
  const inner = Buffer.concat([TEXT, Buffer.from([23])]);

  it('the first suites are the ones that this test expects', () => {
    expect([gcm.id, ccm8.id, cbc.id]).toEqual([0xc02b, 0xc0a8, 0x00ae]);
  });

  it('AES-CCM-8 is that of RFC 3610 with the nonce of RFC 6655', () => {
    const { client, keys } = pairOf(ccm8, NO_ID, { sendSequence: sequence });
    const nonce = Buffer.concat([keys.subarray(32, 36), number]);
    const expected = ccm(keys.subarray(0, 16), nonce, plainAdditional('0040'), TEXT, 8);
    const record = client.seal(ContentType.ApplicationData, TEXT);
    expect(record.toString('hex')).toBe(
      `17fefd${number.toString('hex')}0050${number.toString('hex')}${expected.toString('hex')}`,
    );
  });

  it('AES-CCM-8 with a connection id authenticates the data of RFC 9146 and encrypts the type', () => {
    const { client, keys } = pairOf(ccm8, ID, { sendSequence: sequence });
    const nonce = Buffer.concat([keys.subarray(32, 36), number]);
    const expected = ccm(keys.subarray(0, 16), nonce, idAdditional('0041'), inner, 8);
    const record = client.seal(ContentType.ApplicationData, TEXT);
    expect(record.toString('hex')).toBe(`${idHeader}0051${number.toString('hex')}${expected.toString('hex')}`);
  });

  it('AES-GCM of a server uses the second key', () => {
    const { server, keys } = pairOf(gcm, NO_ID, {}, { sendSequence: sequence });
    const cipher = createCipheriv('aes-128-gcm', keys.subarray(16, 32), Buffer.concat([keys.subarray(36, 40), number]));
    cipher.setAAD(plainAdditional('0040'));
    const expected = Buffer.concat([cipher.update(TEXT), cipher.final(), cipher.getAuthTag()]);
    const record = server.seal(ContentType.ApplicationData, TEXT);
    expect(record.toString('hex')).toBe(
      `17fefd${number.toString('hex')}0058${number.toString('hex')}${expected.toString('hex')}`,
    );
  });

  it.each([
    ['without', NO_ID, (length: string) => plainAdditional(length), TEXT, '60', '80'],
    ['with', ID, (length: string) => idAdditional(length), inner, '60', '80'],
  ])('AES-CBC %s a connection id is encrypted, then authenticated', (_, id, additional, content, macLength, length) => {
    const { client, keys } = pairOf(cbc, id, { sendSequence: sequence });
    const record = client.seal(ContentType.ApplicationData, TEXT);
    const header = record.subarray(0, 13 + id.length);
    expect(header.readUInt16BE(header.length - 2)).toBe(Number.parseInt(length, 16));
    const iv = record.subarray(header.length, header.length + 16);
    const cipher = createCipheriv('aes-128-cbc', keys.subarray(64, 80), iv).setAutoPadding(false);
    const padding = 16 - (content.length % 16);
    const encrypted = Buffer.concat([iv, cipher.update(content), cipher.update(Buffer.alloc(padding, padding - 1))]);
    const mac = createHmac('sha256', keys.subarray(0, 32))
      .update(additional(`00${macLength}`))
      .update(encrypted);
    expect(record.subarray(header.length).toString('hex')).toBe(
      Buffer.concat([encrypted, mac.digest()]).toString('hex'),
    );
  });
});

describe.each(cases)('records of %s', (_, suite, id) => {
  it.each([0, 1, 15, 16, 17, 64, 1_280, 16_383])('carry %i bytes in both directions', (bytes) => {
    const { client, server } = pairOf(suite, id);
    const text = randomBytes(bytes);
    expect(opened(server, client.seal(ContentType.ApplicationData, text))).toEqual({
      type: ContentType.ApplicationData,
      plaintext: text,
      isNewest: true,
    });
    expect(opened(client, server.seal(ContentType.Alert, text))).toMatchObject({
      type: ContentType.Alert,
      plaintext: text,
    });
  });

  it('are refused with any byte changed, and the right one is accepted afterwards', () => {
    const { client, server } = pairOf(suite, id);
    const record = client.seal(ContentType.ApplicationData, TEXT);
    for (let at = 0; at < record.length; at += 1) {
      for (const change of [0x01, 0x80, 0xff]) {
        const changed = Buffer.from(record);
        changed[at] = changed[at]! ^ change;
        const read = decodeRecord(changed, 0, ID.length);
        if (read !== undefined) expect(server.open(read)).toMatch(/unauthentic|malformed/);
      }
    }
    expect(server.receivedMax).toBe(-1);
    expect(opened(server, record).plaintext).toEqual(TEXT);
  });

  it('are refused when truncated or extended', () => {
    const { client, server } = pairOf(suite, id);
    const record = wire(client.seal(ContentType.ApplicationData, TEXT));
    for (let bytes = 0; bytes < record.fragment.length; bytes += 1) {
      expect(server.open({ ...record, fragment: record.fragment.subarray(0, bytes) })).toBe('unauthentic');
    }
    const longer = Buffer.concat([record.fragment, Buffer.alloc(16)]);
    expect(server.open({ ...record, fragment: longer })).toBe('unauthentic');
  });

  it('do not open with the keys of another connection, in the other direction or under another number', () => {
    const { client, server, packed } = pairOf(suite, id);
    const record = client.seal(ContentType.ApplicationData, TEXT);
    expect(pairOf(suite, id).server.open(wire(record))).toBe('unauthentic');
    const protection = createProtection(suite, packed, 'client');
    expect(new Epoch({ number: 1, protection, receiveConnectionId: id }).open(wire(record))).toBe('unauthentic');
    expect(server.open({ ...wire(record), sequence: 1 })).toBe('unauthentic');
    expect(server.open({ ...wire(record), epoch: 2 })).toBe('malformed');
  });

  it('share a datagram', () => {
    const { client, server } = pairOf(suite, id);
    const texts = ['a', 'bc', ''].map((text) => Buffer.from(text));
    const datagram = Buffer.concat(texts.map((text) => client.seal(ContentType.ApplicationData, text)));
    const results = decodeRecords(datagram, id.length).map((record) => server.open(record));
    expect(results).toMatchObject(texts.map((plaintext) => ({ plaintext, isNewest: true })));
  });
});

describe('connection ids', () => {
  const suite = CIPHER_SUITES[2]!;

  it('a record without the negotiated id, or with another one, is malformed', () => {
    const { client, server, packed } = pairOf(suite, ID);
    const protection = createProtection(suite, packed, 'client');
    const without = new Epoch({ number: 1, protection });
    const other = new Epoch({ number: 1, protection, sendConnectionId: Buffer.from(ID).fill(9) });
    expect(server.open(wire(without.seal(23, TEXT)))).toBe('malformed');
    expect(server.open(wire(other.seal(23, TEXT)))).toBe('malformed');
    expect(opened(server, client.seal(23, TEXT)).plaintext).toEqual(TEXT);
  });

  it('padding after the type is removed; only padding is malformed', () => {
    const { server, packed } = pairOf(suite, ID);
    const protection = createProtection(suite, packed, 'client');
    const header = (sequence: number) => ({ type: ContentType.ConnectionId, epoch: 1, sequence, connectionId: ID });
    const padded = Buffer.concat([Buffer.from([7, 0, 22]), Buffer.alloc(40)]);
    expect(opened(server, protection.seal(header(0), padded))).toEqual({
      type: ContentType.Handshake,
      plaintext: Buffer.from([7, 0]),
      isNewest: true,
    });
    expect(server.open(wire(protection.seal(header(1), Buffer.alloc(40))))).toBe('malformed');
    expect(server.open(wire(protection.seal(header(2), Buffer.alloc(0))))).toBe('malformed');
    expect(server.receivedMax).toBe(2);
  });
});

describe('limits of records', () => {
  const suite = CIPHER_SUITES[2]!;

  it('seal refuses what the peer does not accept; with a connection id the type counts', () => {
    const plain = pairOf(suite, NO_ID, { sendBytesMax: 64 }).client;
    const withId = pairOf(suite, ID, { sendBytesMax: 64 }).client;
    expect([plain.contentBytesMax, withId.contentBytesMax]).toEqual([64, 63]);
    expect(() => plain.seal(23, Buffer.alloc(65))).toThrow(RecordTooLarge);
    expect(() => withId.seal(23, Buffer.alloc(64))).toThrow(RecordTooLarge);
    expect(plain.seal(23, Buffer.alloc(64)).length).toBe(13 + 8 + 64 + 8);
    expect(withId.seal(23, Buffer.alloc(63)).length).toBe(13 + 8 + 8 + 64 + 8);
  });

  it('a limit above that of the protocol changes nothing', () => {
    expect(pairOf(suite, NO_ID, { sendBytesMax: 65_535 }).client.contentBytesMax).toBe(16_384);
  });

  it('open refuses what is over our limit', () => {
    const { client, server } = pairOf(suite, ID, {}, { receiveBytesMax: 100 });
    expect(opened(server, client.seal(23, Buffer.alloc(99, 1))).plaintext.length).toBe(99);
    expect(server.open(wire(client.seal(23, Buffer.alloc(100, 1))))).toBe('malformed');
  });

  it('an epoch ends with its last sequence number', () => {
    const { client, server } = pairOf(suite, NO_ID, { sendSequence: SEQUENCE_MAX });
    expect(opened(server, client.seal(23, TEXT)).plaintext).toEqual(TEXT);
    expect(server.receivedMax).toBe(SEQUENCE_MAX);
    expect(() => client.seal(23, TEXT)).toThrow(SequenceExhausted);
    expect(() => new Epoch({ number: 0, sendSequence: SEQUENCE_MAX + 1 }).seal(22, TEXT)).toThrow(SequenceExhausted);
  });
});

describe('replay', () => {
  const suite = CIPHER_SUITES[2]!;

  it('a record opens once, in any order', () => {
    const { client, server } = pairOf(suite);
    const records = Array.from({ length: 64 }, () => client.seal(23, TEXT));
    const order = [...records.keys()].sort((a, b) => ((a * 37) % 64) - ((b * 37) % 64));
    let newest = -1;
    for (const index of order) {
      expect(opened(server, records[index]!).isNewest).toBe(index > newest);
      newest = Math.max(newest, index);
      expect(server.open(wire(records[index]!))).toBe('replayed');
    }
  });

  it('what is 64 behind is refused unseen', () => {
    const { client, server } = pairOf(suite);
    const [first, second] = [client.seal(23, TEXT), client.seal(23, TEXT)];
    for (let count = 0; count < 62; count += 1) client.seal(23, TEXT);
    opened(server, client.seal(23, TEXT));
    expect(server.open(wire(first))).toBe('replayed');
    expect(opened(server, second).isNewest).toBe(false);
  });

  it('a restored epoch refuses all up to what was seen', () => {
    const { client, server } = pairOf(suite, NO_ID, {}, { receivedMax: 1 });
    const records = [0, 1, 2].map(() => client.seal(23, TEXT));
    expect(records.map((record) => typeof server.open(wire(record)))).toEqual(['string', 'string', 'object']);
  });

  it('a forged record does not move the window', () => {
    const { client, server } = pairOf(suite);
    const record = client.seal(23, TEXT);
    expect(server.open({ ...wire(record), sequence: SEQUENCE_MAX })).toBe('unauthentic');
    expect(opened(server, record).isNewest).toBe(true);
  });
});

describe('epoch 0', () => {
  it('is plaintext, without ids, never newest and never a replay', () => {
    const epoch = new Epoch({ number: 0, sendSequence: 7, sendConnectionId: NO_ID });
    const record = epoch.seal(ContentType.Handshake, TEXT);
    expect(record.subarray(0, 13).toString('hex')).toBe('16fefd00000000000000070040');
    for (let count = 0; count < 2; count += 1) {
      expect(opened(epoch, record)).toEqual({ type: ContentType.Handshake, plaintext: TEXT, isNewest: false });
    }
    expect(epoch.open({ ...wire(record), type: ContentType.ConnectionId })).toBe('malformed');
  });
});
