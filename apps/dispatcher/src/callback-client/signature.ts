import { createHash, createHmac, randomBytes } from 'node:crypto';
import { newId } from '@lanyard/service';

/** Shared with the receiver of a callback channel. Shown once, kept sealed. */
export interface SigningSecret {
  id: string;
  /** `whsec_` and base64 of 32 bytes. */
  secret: string;
  /** Milliseconds since the epoch. */
  createdAtMs: number;
}

/** The secrets with which a channel's messages are signed. */
export interface Signing {
  /** When the channel was created: tells the channels of one key apart. */
  channelCreatedAtMs: number;
  secrets: readonly SigningSecret[];
}

const secretBytes = 32;
const secretPrefix = 'whsec_';

export const newSigningSecret = (createdAtMs: number): SigningSecret => ({
  id: newId(),
  secret: secretPrefix + randomBytes(secretBytes).toString('base64'),
  createdAtMs,
});

/** The id is the same for a repetition of the same content, and for nothing else. `from`, `to`: numbers of the channel's events. */
export const messageIdOf = (
  channelId: string,
  { channelCreatedAtMs }: Signing,
  { from, to, body }: { from: number; to: number; body: Buffer },
): string => {
  const hash = createHash('sha256').update(`${channelId}:${channelCreatedAtMs}:${from}:${to}:`).update(body);
  return `msg_${hash.digest('hex').slice(0, 32)}`;
};

/** Standard Webhooks 1.0: one signature per secret, so that a receiver may switch from one to the other at any time. */
export const signatureHeaders = (
  { secrets }: Signing,
  messageId: string,
  atMs: number,
  body: Buffer,
): Record<string, string> => {
  const seconds = Math.floor(atMs / 1_000);
  const signatures = secrets.map(({ secret }) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${seconds}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
};
