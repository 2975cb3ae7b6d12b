import { KafkaConnection } from '@lanyard/kafka';
import { type Clock, CONFIG } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DispatcherConfig } from '../config.js';
import { SharedClock } from '../queue/shared-clock.js';

/** The messages of a partition that may still have to be delivered: offsets [from, end). Kafka has none before `low`. */
export interface Window {
  low: bigint;
  from: bigint;
  end: bigint;
}

/** How far back events that Redis does not know are read again. */
@Injectable()
export class ReplayWindow {
  constructor(
    private readonly kafka: KafkaConnection,
    @Inject(CONFIG) private readonly config: DispatcherConfig,
    @Inject(SharedClock) private readonly clock: Clock,
  ) {}

  /** The window of each partition that is not empty. */
  async windows(topic: string): Promise<Map<number, Window>> {
    const [inKafka, recent] = await Promise.all([
      this.kafka.offsets(topic),
      this.kafka.offsetsAt(topic, this.clock.now() - this.config.replayMaxMs),
    ]);
    const windows = new Map<number, Window>();
    for (const [partition, { low, high: end }] of inKafka) {
      const since = recent.get(partition) ?? low;
      const from = since < low ? low : since > end ? end : since;
      if (low < end) windows.set(partition, { low, from, end });
    }
    return windows;
  }
}
