import type { Clock, Identity, Logger, Metrics } from '@lanyard/service';
import type { Writable } from 'node:stream';
import type { Place } from '../query/stored-events.js';
import { KeyRevoked, TooManyStreams } from '../errors.js';
import { type EndReason, EventStream, type StreamParts } from './event-stream.js';
import { announcementGraceMs, streamsPerAccountMax } from './limits.js';
import type { Readers } from './readers.js';

interface Open {
  stream: EventStream;
  accountId: string;
  keyId: string;
  secret: string | undefined;
  /** The secret was among those of the key once. */
  proven: boolean;
}

export interface StreamsParts {
  readers: Readers;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** The streams of this replica. */
export class Streams {
  private readonly open = new Set<Open>();

  constructor(private readonly parts: StreamsParts) {
    parts.readers.onChange((keyId) => {
      for (const open of this.open) if (open.keyId === keyId) this.review(open);
    });
  }

  /** Throws TooManyStreams and KeyRevoked. Call it before anything is written to the client. */
  admit({ accountId, keyId, secretFingerprint }: Identity): void {
    const mine = [...this.open].filter((o) => o.accountId === accountId).length;
    if (mine >= streamsPerAccountMax) throw new TooManyStreams(streamsPerAccountMax);
    if (this.parts.readers.standing(keyId, secretFingerprint) === 'revoked') throw new KeyRevoked();
  }

  /** Runs until the client leaves or the key is revoked. */
  async run(caller: Identity, client: Writable, from: Place, read: StreamParts['read']): Promise<void> {
    const { clock, logger, metrics } = this.parts;
    const stream = new EventStream({ client, clock, read });
    const { accountId, keyId, secretFingerprint: secret } = caller;
    const open = { stream, accountId, keyId, secret, proven: false };
    this.open.add(open);
    const gauge = metrics.gauge({ name: 'lanyard_event_log_streams', help: 'Open streams of device events' });
    gauge.inc();
    this.review(open);
    // It comes back through the gateway, which knows better by then.
    const patience = clock.after(announcementGraceMs, () => void (open.proven || stream.end('unavailable')));
    try {
      await stream.run(from);
    } catch (err) {
      logger.warn({ err }, 'a stream of device events could not go on');
      stream.end('unavailable');
    } finally {
      patience.cancel();
      this.open.delete(open);
      gauge.dec();
    }
  }

  /** The log of an account has grown; undefined: any may have. */
  grown(accountId: string | undefined): void {
    for (const open of this.open) if (accountId === undefined || open.accountId === accountId) open.stream.call();
  }

  endAll(reason: EndReason): void {
    for (const { stream } of this.open) stream.end(reason);
  }

  private review(open: Open): void {
    const standing = this.parts.readers.standing(open.keyId, open.secret);
    if (standing === 'revoked' || (standing === 'unproven' && open.proven)) open.stream.end('key_revoked');
    open.proven ||= standing === 'good';
  }
}
