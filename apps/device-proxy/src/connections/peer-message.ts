import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Address } from '@lanyard/dtls';

/**
 * A message between replicas, over UDP: a record for another replica, an answer that another replica must send, or a record
 * that is returned because its connection is not there.
 */
export interface PeerMessage {
  kind: 'record' | 'answer' | 'not-here';
  /** `<slot>:<token>` of the replica that sends the message. */
  owner: string;
  /** The number of the message at its sender, and the time by the clock of the sender. */
  sequence: number;
  timeMs: number;
  /** The address of the device. */
  address: Address;
  /** The datagram. */
  payload: Buffer;
}

export interface PeerKey {
  /** Eight hex digits. */
  id: string;
  key: Buffer;
}

const version = 1;
const kinds = ['record', 'answer', 'not-here'] as const;
const macBytes = 16;
const keyIdBytes = 4;
const tokenBytes = 8;
/** Version, kind, key, slot, token, sequence number, time, port, length of the address. */
const headBytes = 1 + 1 + keyIdBytes + 2 + tokenBytes + 6 + 6 + 2 + 1;

/** The key is passed as text: for a Buffer, node:crypto internally throws and catches two errors. */
const macOf = (key: Buffer, bytes: Buffer): Buffer =>
  createHmac('sha256', key.toString('latin1'), { encoding: 'latin1' }).update(bytes).digest().subarray(0, macBytes);

export const encodePeerMessage = (message: PeerMessage, { id, key }: PeerKey): Buffer => {
  const address = Buffer.from(message.address.address);
  const [slot = '', token = ''] = message.owner.split(':');
  const head = Buffer.alloc(headBytes);
  head[0] = version;
  head[1] = kinds.indexOf(message.kind);
  head.write(id, 2, 'hex');
  let at = head.writeUInt16BE(Number(slot), 2 + keyIdBytes);
  at += head.write(token, at, 'hex');
  at = head.writeUIntBE(message.sequence, at, 6);
  at = head.writeUIntBE(message.timeMs, at, 6);
  at = head.writeUInt16BE(message.address.port, at);
  head[at] = address.length;
  const body = Buffer.concat([head, address, message.payload]);
  return Buffer.concat([body, macOf(key, body)]);
};

/** Undefined when the message is not authentic. Never throws. */
export const decodePeerMessage = (bytes: Buffer, keys: readonly PeerKey[]): PeerMessage | undefined => {
  if (bytes.length < headBytes + macBytes || bytes[0] !== version) return undefined;
  const id = bytes.toString('hex', 2, 2 + keyIdBytes);
  const key = keys.find((one) => one.id === id)?.key;
  const body = bytes.subarray(0, -macBytes);
  if (!key || !timingSafeEqual(macOf(key, body), bytes.subarray(-macBytes))) return undefined;
  return readBody(body);
};

/** Reads an authentic message, which at worst comes from another version of this code. */
const readBody = (body: Buffer): PeerMessage | undefined => {
  const kind = kinds[body[1] as number];
  const slotAt = 2 + keyIdBytes;
  const sequenceAt = slotAt + 2 + tokenBytes;
  const addressEnd = headBytes + (body[headBytes - 1] as number);
  if (!kind || addressEnd > body.length) return undefined;
  return {
    kind,
    owner: `${body.readUInt16BE(slotAt)}:${body.toString('hex', slotAt + 2, sequenceAt)}`,
    sequence: body.readUIntBE(sequenceAt, 6),
    timeMs: body.readUIntBE(sequenceAt + 6, 6),
    address: { address: body.toString('latin1', headBytes, addressEnd), port: body.readUInt16BE(sequenceAt + 12) },
    payload: Buffer.from(body.subarray(addressEnd)),
  };
};
