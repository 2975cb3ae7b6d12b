import { randomBytes } from 'node:crypto';
import { type EncryptionKeys, openFor, sealFor } from './sealed.js';

/**
 * A ticket of a download: 128 random bits, which let one device download one package. The `t-` distinguishes it from other
 * names below `/downloads/`, such as a hash.
 */
export const ticketPattern = /^t-[0-9a-f]{32}$/;

export const newTicket = (): string => `t-${randomBytes(16).toString('hex')}`;

/** A sealed ticket opens for its device only. */
const purposeOf = (deviceId: string): string => `download ticket of ${deviceId}`;

/** For topics and queues: only the message to the device contains the ticket itself. */
export const sealTicket = (keys: EncryptionKeys, deviceId: string, ticket: string): string =>
  sealFor(keys, purposeOf(deviceId), Buffer.from(ticket));

/** Throws UnknownEncryptionKey, or an error of node:crypto for the ticket of another device. */
export const openTicket = (keys: EncryptionKeys, deviceId: string, sealed: string): string =>
  openFor(keys, purposeOf(deviceId), sealed).toString();
