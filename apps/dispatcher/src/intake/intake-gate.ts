import { KafkaBatchServer } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import { ChannelRegistry } from '../queue/channel-registry.js';
import { Intake } from './intake.js';
import { sourceNames } from './sources.js';

/** Closes the intake while Redis lacks some of its state, and opens it again. */
@Injectable()
export class IntakeGate {
  constructor(
    private readonly intake: Intake,
    private readonly registry: ChannelRegistry,
    private readonly consumers: KafkaBatchServer,
  ) {}

  /** `listener` is called when Redis has lost positions. If it gets no topics, Redis has lost everything. */
  onPositionsLost(listener: (topics: readonly string[]) => void): void {
    this.intake.onPositionsLost(listener);
  }

  close(): void {
    this.intake.pause();
  }

  /** The generations of the shards, for `open`. */
  generations(): Promise<string[]> {
    return this.registry.generations();
  }

  /** Resumes from the positions in Redis. */
  open(generations: readonly string[]): void {
    this.intake.resume(generations, () => {
      for (const name of sourceNames) this.consumers.reseek(name);
    });
  }
}
