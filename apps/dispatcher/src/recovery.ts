import type { Clock, Logger, Timer } from '@lanyard/service';
import type { Repair } from './channels/repair.js';
import type { Holders } from './replicas/holders.js';
import type { Replicas } from './replicas/replicas.js';
import type { Intake } from './intake/intake.js';
import type { ChannelRegistry } from './queue/channel-registry.js';
import type { RedisLink } from './queue/redis-link.js';

const againMs = 500;

/** Also finds what a crash between PostgreSQL and Redis left behind. */
const repairPeriodMs = 60_000;

interface RecoveryParts {
  links: readonly RedisLink[];
  registry: ChannelRegistry;
  repair: Repair;
  intake: Intake;
  replicas: Replicas;
  holders: Holders;
  clock: Clock;
  logger: Logger;
  /** Sends the consumers back to the stored positions. */
  reseek: () => void;
}

/**
 * A Redis that comes back may have lost its last writes, or everything. So after every loss: what this replica held
 * is void, the channels are made known again, and Kafka is read from the positions that Redis has now. Positions and
 * events are written together, so whatever is missing is read again.
 */
export class Recovery {
  private running: Promise<void> | undefined;
  private runAgain = false;
  private stopped = false;
  private looking: Timer | undefined;

  constructor(private readonly parts: RecoveryParts) {}

  /** First start: like a recovery, but whoever starts the service learns that it does not work. */
  async start(): Promise<void> {
    const { links } = this.parts;
    while (!(await this.recover()));
    // In the turn of the event loop in which the last of these ended: no loss goes unheard in between.
    for (const link of links) {
      link.onLost(() => this.suspend());
      link.onBack(() => this.begin());
    }
    this.looking = this.parts.clock.every(repairPeriodMs, () => this.look());
  }

  stop(): void {
    this.stopped = true;
    this.looking?.cancel();
  }

  /** Something is missing in Redis. */
  begin(): void {
    this.suspend();
    if (this.running) this.runAgain = true;
    else
      this.running = this.run().finally(() => {
        this.running = undefined;
        // Called between its last look and now.
        if (this.runAgain && !this.stopped) this.begin();
      });
  }

  private suspend(): void {
    this.parts.intake.pause();
    this.parts.holders.suspend();
  }

  private async run(): Promise<void> {
    const { clock, logger, holders, replicas } = this.parts;
    while (!this.stopped) {
      this.runAgain = false;
      try {
        await replicas.bury(replicas.owner);
        if (!(await this.recover()) || this.runAgain) continue;
        holders.resume();
        return logger.warn('continued from what Redis has');
      } catch (err) {
        logger.warn({ err }, 'recovery from a loss of Redis is tried again');
        await clock.sleep(againMs);
      }
    }
  }

  /** False when Redis was lost meanwhile: nothing that was found holds, and the intake stays closed. */
  private async recover(): Promise<boolean> {
    const { repair, registry, intake, reseek } = this.parts;
    const eras = this.eras();
    await repair.run();
    const generations = await registry.generations();
    if (this.eras() !== eras) return false;
    intake.resume(generations, reseek);
    return true;
  }

  private eras(): string {
    return this.parts.links.map(({ era }) => era).join();
  }

  private look(): void {
    const { repair, logger } = this.parts;
    if (this.running || this.stopped) return;
    repair.run().catch((err: unknown) => logger.warn({ err }, 'channels not compared'));
  }
}
