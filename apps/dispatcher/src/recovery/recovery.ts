import { awaiting, type Clock, type Logger, LOGGER, type Timer } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Repair } from '../channels/repair.js';
import { IntakeGate } from '../intake/intake-gate.js';
import { RedisLinks } from '../queue/redis-links.js';
import { SharedClock } from '../queue/shared-clock.js';
import { Holders } from '../replicas/holders.js';
import { Replicas } from '../replicas/replicas.js';

/** Time between a failed recovery and the next attempt. */
const retryDelayMs = 500;

/** While Redis is full, all channels are compared this often. */
const fullRetryDelayMs = 2_000;

/** Repairs also fix what a crash between PostgreSQL and Redis left behind. */
const repairPeriodMs = 60_000;

/**
 * How an attempt to recover ended. `open`: the intake is open. `lost`: Redis was lost during the attempt, so that
 * nothing that was found holds. `full`: Redis is full and does not take some channels.
 */
type Outcome = 'open' | 'lost' | 'full';

/**
 * A Redis that comes back may have lost its last writes, or everything. So after every loss, the holds of this replica are
 * void, the channels are registered again, and Kafka is read from the positions that Redis has now. Positions and
 * events are written together, so whatever is missing is read again.
 */
@Injectable()
export class Recovery implements OnModuleInit, OnApplicationShutdown {
  private running: Promise<void> | undefined;
  private runAgain = false;
  private stopped = false;
  private repairing: Timer | undefined;

  constructor(
    private readonly links: RedisLinks,
    private readonly repair: Repair,
    private readonly gate: IntakeGate,
    private readonly holders: Holders,
    private readonly replicas: Replicas,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** First start: like a recovery, but reported to the operator while it fails. */
  async onModuleInit(): Promise<void> {
    const recover = (): Promise<Outcome> => awaiting('Redis: what recovery has to do', this.recover());
    let outcome = await recover();
    while (outcome === 'lost') outcome = await recover();
    // Same turn of the event loop as the end of the last attempt: no loss in between is missed.
    this.links.onLost(() => this.suspend());
    this.links.onBack(() => this.begin());
    this.gate.onPositionsLost((topics) => {
      this.logger.error({ topics }, 'Redis is behind what was appended');
      this.begin();
    });
    this.repairing = this.clock.every(repairPeriodMs, () => this.repairIfIdle());
    if (outcome === 'full') this.begin();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    this.repairing?.cancel();
  }

  /** Starts a recovery: something is missing in Redis. */
  begin(): void {
    this.suspend();
    if (this.running) this.runAgain = true;
    else
      this.running = this.run().finally(() => {
        this.running = undefined;
        // `begin` was called after the last check for another run.
        if (this.runAgain && !this.stopped) this.begin();
      });
  }

  private suspend(): void {
    this.gate.close();
    this.holders.suspend();
  }

  private async run(): Promise<void> {
    let isDelivering = false;
    while (!this.stopped) {
      isDelivering &&= !this.runAgain;
      this.runAgain = false;
      try {
        if (!isDelivering) await this.replicas.releaseHeld();
        const outcome = await this.recover();
        if (outcome === 'lost' || this.runAgain) {
          isDelivering = false;
          continue;
        }
        // What a full Redis has is delivered meanwhile: that makes room.
        if (!isDelivering) this.holders.resume();
        isDelivering = true;
        if (outcome === 'open') return this.logger.warn('continued from what Redis has');
        await this.clock.sleep(fullRetryDelayMs);
      } catch (err) {
        this.logger.warn({ err }, 'recovery from a loss of Redis is tried again');
        await this.clock.sleep(retryDelayMs);
      }
    }
  }

  /** The intake stays closed unless it is `open`. */
  private async recover(): Promise<Outcome> {
    const { eras } = this.links;
    const isComplete = await this.repair.run();
    const generations = await this.gate.generations();
    if (this.links.eras !== eras) return 'lost';
    if (!isComplete) return 'full';
    this.gate.open(generations);
    return 'open';
  }

  private repairIfIdle(): void {
    if (this.running || this.stopped) return;
    this.repair.run().catch((err: unknown) => this.logger.warn({ err }, 'channels not compared'));
  }
}
