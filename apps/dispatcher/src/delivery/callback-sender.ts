import { Readable } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Clock, Timer } from '@lanyard/service';
import { Pool } from 'undici';
import { callbackResponseBytesMax, callbackTimeoutMs } from '../channels/limits.js';
import { AddressForbidden, type AddressGuard } from './address-guard.js';
import type { Signing } from './signature.js';

/** Where a callback channel's events go. */
export interface CallbackTarget {
  url: string;
  headers: Record<string, string>;
  /** Absent when nothing is signed. */
  signing?: Signing;
}

/** One request. */
export interface Outgoing {
  body: Buffer;
  /** Headers that are not the customer's. */
  headers?: Record<string, string>;
  /** Asked when the connection is there, right before anything is written. */
  mayWrite?: () => Promise<boolean>;
}

export type SendOutcome = { ok: true } | { ok: false; cause: SendFailure };
export type SendFailure =
  | 'status'
  | 'timeout'
  | 'unreachable'
  | 'forbidden'
  | 'untrusted'
  | 'other name'
  | 'out of date'
  | 'aborted'
  | 'withdrawn';

interface Line {
  origin: string;
  pool: Pool;
  usedAtMs: number;
}

/** Connections of a channel that sent nothing for so long are closed. */
const lineIdleMaxMs = 5 * 60_000;
const idlePeriodMs = 60_000;

const ownHeaders = { 'content-type': 'application/json', 'accept-encoding': 'identity' };

const accepted = (status: number): boolean => status === 200 || status === 204;

class Withdrawn extends Error {}

/** As an iterable, a body is not looked at before its request can be written: nothing leaves when that throws. */
async function* asked(body: Buffer, mayWrite: () => Promise<boolean>): AsyncGenerator<Buffer> {
  if (!(await mayWrite())) throw new Withdrawn();
  yield body;
}

const codeOf = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: { code?: string } };
  return code ?? cause?.code ?? '';
};

/** What Node and OpenSSL say of a certificate that they refuse (spec §5 rule 10: name and chain are checked). */
const certificateFailure = (code: string): SendFailure | undefined => {
  if (/ALTNAME_INVALID$/.test(code)) return 'other name';
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) return 'out of date';
  return /CERT|LEAF_SIGNATURE|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/.test(code) ? 'untrusted' : undefined;
};

/** The trust of everybody, and the operator's own. Made once: reading all roots for each connection takes its time. */
const trusting = (authorities: readonly string[]): SecureContext | undefined =>
  authorities.length > 0 ? createSecureContext({ ca: [...rootCertificates, ...authorities] }) : undefined;

/** Reads an answer to its end, so that the connection can be used again, unless it is larger than anyone needs. */
const drain = async (body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<void> => {
  let bytes = 0;
  for await (const part of body) if ((bytes += part.length) > callbackResponseBytesMax) break;
  if (bytes > callbackResponseBytesMax) body.destroy();
};

/**
 * Sends batches to callback URLs: PUT, 200 or 204 is success, no redirects, 20 s for everything together (spec §7,
 * §8). Each channel has its own connections: one customer's slow server holds nobody else's.
 */
export class CallbackSender {
  private readonly lines = new Map<string, Line>();

  private readonly trust: SecureContext | undefined;
  private looking: Timer | undefined;

  /** `authorities`: PEM certificates that are trusted beside the built-in roots. */
  constructor(
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
    authorities: readonly string[] = [],
  ) {
    this.trust = trusting(authorities);
  }

  /** Never rejects. */
  async send(channelId: string, target: CallbackTarget, message: Outgoing, signal?: AbortSignal): Promise<SendOutcome> {
    const overall = new AbortController();
    const timer = this.clock.after(callbackTimeoutMs, () => overall.abort());
    try {
      const url = new URL(target.url);
      this.guard.checkHost(url.hostname);
      const { statusCode, body: answer } = await this.pool(channelId, url.origin).request({
        method: 'PUT',
        path: url.pathname + url.search,
        headers: {
          ...target.headers,
          ...message.headers,
          ...ownHeaders,
          'content-length': String(message.body.length),
        },
        body: message.mayWrite
          ? Readable.from(asked(message.body, message.mayWrite), { objectMode: false })
          : message.body,
        signal: signal ? AbortSignal.any([overall.signal, signal]) : overall.signal,
      });
      await drain(answer);
      return accepted(statusCode) ? { ok: true } : { ok: false, cause: 'status' };
    } catch (error) {
      return { ok: false, cause: this.causeOf(error, overall.signal, signal) };
    } finally {
      timer.cancel();
    }
  }

  /** The channel is gone, or goes elsewhere. */
  forget(channelId: string): void {
    const line = this.lines.get(channelId);
    this.lines.delete(channelId);
    void line?.pool.destroy().catch(() => undefined);
  }

  start(): void {
    this.looking = this.clock.every(idlePeriodMs, () => this.forgetIdle());
  }

  close(): void {
    this.looking?.cancel();
    for (const channelId of [...this.lines.keys()]) this.forget(channelId);
  }

  private forgetIdle(): void {
    const before = this.clock.now() - lineIdleMaxMs;
    for (const [channelId, { usedAtMs }] of this.lines) if (usedAtMs < before) this.forget(channelId);
  }

  private causeOf(error: unknown, timeout: AbortSignal, signal: AbortSignal | undefined): SendFailure {
    if (error instanceof AddressForbidden || codeOf(error) === 'ADDRESS_FORBIDDEN') return 'forbidden';
    if (error instanceof Withdrawn) return 'withdrawn';
    if (timeout.aborted) return 'timeout';
    if (signal?.aborted) return 'aborted';
    return certificateFailure(codeOf(error)) ?? 'unreachable';
  }

  private pool(channelId: string, origin: string): Pool {
    const known = this.lines.get(channelId);
    if (known && known.origin !== origin) this.forget(channelId);
    const line = this.lines.get(channelId) ?? { origin, pool: this.connect(origin), usedAtMs: 0 };
    this.lines.set(channelId, line);
    line.usedAtMs = this.clock.now();
    return line.pool;
  }

  private connect(origin: string): Pool {
    return new Pool(origin, {
      connections: 1,
      pipelining: 1,
      // Its own limits are for one part of a request each; `send` has one for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
      connect: {
        timeout: 0,
        lookup: this.guard.lookup,
        // Also where the environment of the process says otherwise.
        rejectUnauthorized: true,
        ...(this.trust && { secureContext: this.trust }),
      },
    });
  }
}
