import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { UsageError } from '../errors.js';

const prefix = 'whsec_';
const secretBytes = 32;

/** The signing secret in a file; if the file does not exist, a new secret is written to it. */
export const signingSecret = (file: string): string => {
  try {
    writeFileSync(file, `${prefix}${randomBytes(secretBytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new UsageError(`The secret file cannot be written: ${(error as Error).message}`);
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (!secret.startsWith(prefix)) throw new UsageError(`${file} has no signing secret: it must start with ${prefix}.`);
  return secret;
};

/** The id of a message, the same each time that the message is sent. */
const messageId = (next: string, body: string): string =>
  `msg_${createHash('sha256').update(`${next}:${body}`).digest('hex').slice(0, 32)}`;

/** Signs according to Standard Webhooks 1.0, as the service signs callbacks. */
export const signatureHeaders = (
  secret: string,
  { next, body }: { next: string; body: string },
  nowMs: number,
): Record<string, string> => {
  const id = messageId(next, body);
  const seconds = Math.floor(nowMs / 1_000);
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
};
