import { type DeviceScope, narrowest } from '@lanyard/contracts';
import { CLOCK, type Clock, type Identity, type Logger, LOGGER, Metrics } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Writable } from 'node:stream';
import type { EntryOwner } from '../query/list-events.js';
import type { Place, StoredPage } from '../query/stored-events.js';
import { KeyRevoked, TooManyStreams } from '../errors.js';
import { AccessKeysReader } from './access-keys.reader.js';
import { AppendNotifications } from './append-notifications.js';
import { type EndReason, EventStream } from './event-stream.js';
import { announcementGraceMs, streamsPerAccountMax } from './limits.js';

interface Open {
  stream: EventStream;
  accountId: string;
  keyId: string;
  secret: string | undefined;
  /** The device groups that the key was limited to, as announced. */
  scope: DeviceScope;
  /** Whether this replica's copy of the keys has contained the secret as one of the key. */
  proven: boolean;
}

const isWider = (scope: DeviceScope, before: DeviceScope): boolean =>
  before !== undefined && (scope === undefined || scope.some((group) => !before.includes(group)));

type ReadAfter = (owner: EntryOwner, from: Place) => Promise<StoredPage>;

@Injectable()
export class Streams implements BeforeApplicationShutdown {
  private readonly open = new Set<Open>();
  private isStopping = false;

  constructor(
    private readonly keys: AccessKeysReader,
    notifications: AppendNotifications,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {
    notifications.onAppend((accountId) => this.readNew(accountId));
    keys.onChange((keyId) => {
      for (const open of this.open) if (open.keyId === keyId) this.review(open);
    });
  }

  /**
   * While HTTP still answers, so that clients read why their stream ends. It answers until the consumers have ended: clients that come back
   * meanwhile read it, too.
   */
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    this.endAll('restart');
  }

  /** Throws TooManyStreams and KeyRevoked. Call it before anything is written to the client. */
  admit({ accountId, keyId, secretFingerprint }: Identity): void {
    const openStreams = [...this.open].filter((o) => o.accountId === accountId).length;
    if (openStreams >= streamsPerAccountMax) throw new TooManyStreams(streamsPerAccountMax);
    if (this.keys.statusOf(keyId, secretFingerprint) === 'revoked') throw new KeyRevoked();
  }

  /**
   * Runs until the client disconnects or the stream is ended, for example because its key was revoked. If the key is
   * limited to device groups meanwhile, the limit applies from the next page on. If it may read more groups, the stream ends: the
   * gateway says with the next request what the caller may read.
   */
  async run(caller: Identity, client: Writable, from: Place, readAfter: ReadAfter): Promise<void> {
    const read = (place: Place): Promise<StoredPage> => {
      const deviceGroups = narrowest([caller.deviceGroups, this.keys.scopeOf(caller.keyId)]);
      return readAfter({ accountId: caller.accountId, ...(deviceGroups && { deviceGroups }) }, place);
    };
    const stream = new EventStream({ client, clock: this.clock, read });
    const { accountId, keyId, secretFingerprint: secret } = caller;
    const open = { stream, accountId, keyId, secret, scope: this.keys.scopeOf(keyId), proven: false };
    this.open.add(open);
    const gauge = this.metrics.gauge({ name: 'lanyard_event_log_streams', help: 'Open streams of device events' });
    gauge.inc();
    this.review(open);
    if (this.isStopping) stream.endWithReason('restart');
    // If the secret is not announced in time, the client reconnects through the gateway, which checks it again.
    const graceTimer = this.clock.after(
      announcementGraceMs,
      () => void (open.proven || stream.endWithReason('unavailable')),
    );
    try {
      await stream.run(from);
    } catch (err) {
      this.logger.warn({ err }, 'a stream of device events failed');
      stream.endWithReason('unavailable');
    } finally {
      graceTimer.cancel();
      this.open.delete(open);
      gauge.dec();
    }
  }

  private readNew(accountId: string | undefined): void {
    for (const open of this.open) if (accountId === undefined || open.accountId === accountId) open.stream.notify();
  }

  private endAll(reason: EndReason): void {
    for (const { stream } of this.open) stream.endWithReason(reason);
  }

  /**
   * Ends the stream if its key may no longer read the log, if its secret was one of the key and no longer is, or if the key may
   * read more groups than before.
   */
  private review(open: Open): void {
    const status = this.keys.statusOf(open.keyId, open.secret);
    if (status === 'revoked' || (status === 'unproven' && open.proven)) open.stream.endWithReason('key_revoked');
    open.proven ||= status === 'valid';
    const scope = this.keys.scopeOf(open.keyId);
    if (isWider(scope, open.scope)) open.stream.endWithReason('restart');
    open.scope = scope;
  }
}
