import type { BodySource } from '@lanyard/coap';
import { type Clock, CLOCK, CONFIG, type Logger, LOGGER, Metrics } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { DownlinkClient } from '../downlink/downlink-client.js';
import { PackageUnavailable, TicketEnded } from '../downloads/package-errors.js';
import { PackageSources } from '../downloads/package-sources.js';
import { LastSeen } from '../sessions/last-seen.js';
import type { Session } from '../sessions/session.js';
import { BodyUnavailable, RequestAborted } from '../transport/device-link.js';
import type { Command } from './command.entity.js';
import { downloadEnded, type Outcome, outcomeOf, pushTookTooLong } from './outcome.js';

/** The log reports each quarter of the package. */
const reportsMax = 4;

/**
 * Pushes of packages to devices, at most one per device. When a replica stops, another one starts the push again at the first
 * block, which the device treats as a new body in place of the incomplete one (RFC 7959 §2.5).
 */
@Injectable()
export class Pushes {
  private readonly stopping = new AbortController();
  private running = 0;

  constructor(
    private readonly downlink: DownlinkClient,
    private readonly packages: PackageSources,
    private readonly lastSeen: LastSeen,
    @Inject(CONFIG) private readonly config: Pick<DeviceProxyConfig, 'pushMaxMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    metrics.observe(
      { name: 'lanyard_device_proxy_pushes', help: 'Pushes of packages to devices in progress' },
      () => this.running,
    );
  }

  /** Pushes under way end with RequestAborted: another replica starts them again. */
  stop(): void {
    this.stopping.abort();
  }

  /** Throws BodyUnavailable while campaigns does not answer, and what every request to a device throws. */
  async push(session: Session, command: Command, ticket: string): Promise<Outcome> {
    this.running++;
    try {
      const source = await this.packages.open(ticket, session);
      return await this.send(session, command, source);
    } catch (error) {
      if (error instanceof TicketEnded || causeOf(error) instanceof TicketEnded) return downloadEnded;
      if (error instanceof PackageUnavailable) throw new BodyUnavailable(error.message, { cause: error });
      throw error;
    } finally {
      this.running--;
    }
  }

  private async send(session: Session, command: Command, source: BodySource): Promise<Outcome> {
    const deadline = new AbortController();
    const timer = this.clock.after(this.config.pushMaxMs, () => deadline.abort());
    const signal = AbortSignal.any([deadline.signal, this.stopping.signal]);
    const onProgress = this.reportTo(session, command, source);
    onProgress(0);
    try {
      return outcomeOf(await this.downlink.push(session, command.path, { source, onProgress, signal }));
    } catch (error) {
      if (error instanceof RequestAborted && deadline.signal.aborted) return pushTookTooLong;
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Counts each block that the device has taken as a message of it: a device that takes blocks is awake. */
  private reportTo(session: Session, command: Command, { bytes: all }: BodySource) {
    const { deviceId, id: commandId, keyId: campaignId, attempts } = command;
    let reported = -1;
    return (bytes: number): void => {
      if (bytes > 0) this.lastSeen.recordMessage(session);
      const quarter = Math.floor((bytes / all) * reportsMax);
      if (quarter === reported) return;
      reported = quarter;
      this.logger.info({ deviceId, commandId, campaignId, attempts, bytes, all }, 'package on its way to the device');
    };
  }
}

const causeOf = (error: unknown): unknown => (error instanceof BodyUnavailable ? error.cause : undefined);
