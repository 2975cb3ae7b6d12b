import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidSignature } from './errors.js';
import { eventsOf, type LanyardEvent } from './events.js';
import type { NotificationMessage } from './generated/api.js';

/** Headers as Node gives them: names in lower case. */
type Headers = Record<string, string | string[] | undefined>;

const secretPrefix = 'whsec_';
/** An eavesdropper may replay older messages. */
const ageMaxSeconds = 300;

const isSignedWith = (secret: string, content: string, signatures: string[]): boolean => {
  const key = Buffer.from(secret.replace(secretPrefix, ''), 'base64');
  const wanted = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  return signatures.some((given) => {
    const bytes = Buffer.from(given);
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  });
};

const verify = (body: string, headers: Headers, secrets: readonly string[], nowMs: number): void => {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((n) =>
    String(headers[n]),
  );
  if (!(Math.abs(nowMs / 1_000 - Number(timestamp)) <= ageMaxSeconds))
    throw new InvalidSignature('the message is too old');
  const content = `${id}.${timestamp}.${body}`;
  if (!secrets.some((secret) => isSignedWith(secret, content, (signatures as string).split(' '))))
    throw new InvalidSignature('no signature of the message is valid');
};

/**
 * The events of a request to the callback URL; none for the empty request that verifies the URL. `signed`: for a callback
 * with signing secrets: the message must carry a signature of one of them (Standard Webhooks 1.0) in its `headers`.
 * Throws InvalidSignature.
 */
export const callbackEvents = (
  body: string | Uint8Array,
  signed?: { secrets: readonly string[]; headers: Headers; nowMs?: number },
): LanyardEvent[] => {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  // The request that verifies the URL holds nothing that could be forged.
  if (signed && text.trim() !== '{}') verify(text, signed.headers, signed.secrets, signed.nowMs ?? Date.now());
  return eventsOf(JSON.parse(text) as NotificationMessage);
};
