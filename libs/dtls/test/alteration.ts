import { decodeHandshakeFragments, encodeHandshake, type HandshakeFragment } from '../src/messages/handshake.js';
import { ContentType, decodeRecords, encodePlainRecord, type WireRecord } from '../src/messages/record.js';
import { type Alteration } from './network.js';

/** On the way: a message in plaintext with another body, or another type. Messages here fit into one record each. */
export const altered = (type: number, change: (body: Buffer) => Buffer, newType = type): Alteration =>
  alteredRecords((record) => {
    if (record.epoch !== 0 || record.type !== ContentType.Handshake) return undefined;
    const [message] = decodeHandshakeFragments(record.fragment) as [HandshakeFragment];
    if (message.type !== type || message.fragment.length !== message.length) return undefined;
    const body = change(Buffer.from(message.fragment));
    return encodePlainRecord(record.type, record.sequence, encodeHandshake(newType, message.messageSequence, body));
  });

/** @param change Gives undefined for a record that stays. */
export const alteredRecords =
  (change: (record: WireRecord) => Buffer | undefined): Alteration =>
  (datagram) => {
    let at = 0;
    const parts = decodeRecords(datagram, 0).map((record) => {
      const original = datagram.subarray(at, record.end);
      at = record.end;
      return change(record) ?? original;
    });
    return Buffer.concat([...parts, datagram.subarray(at)]);
  };

/** With one bit of a byte changed; a negative place counts from the end. */
export const flipped =
  (at: number) =>
  (body: Buffer): Buffer => {
    const place = at < 0 ? body.length + at : at;
    body[place] = body[place]! ^ 1;
    return body;
  };
