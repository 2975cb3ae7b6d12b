import { CONFIG, LOGGER, Metrics, type RedisClient } from '@lanyard/service';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ProducerModule } from '../producer/producer.module.js';
import { StateModule } from '../state/state.module.js';
import { TransportModule } from '../transport/transport.module.js';
import { GatewayLink } from './gateway-link.js';
import { LastSeen } from './last-seen.js';
import { WakeUps } from './wake-ups.js';
import { StallDetector } from './stall-detector.js';
import { openSubscriber, REDIS_SUBSCRIBER } from './redis-connections.js';
import { SessionEnds } from './session-ends.js';
import { SessionFacts } from './session-facts.js';
import { SessionStore } from './session-store.js';
import { Sessions } from './sessions.js';
import { Sweeper } from './sweeper.js';

/** Wake-ups from other replicas arrive after all state has been read, and before `interest` restores sessions. */
@Module({
  imports: [ProducerModule, StateModule, TransportModule],
  providers: [
    { provide: REDIS_SUBSCRIBER, inject: [CONFIG, LOGGER], useFactory: openSubscriber },
    GatewayLink,
    LastSeen,
    WakeUps,
    StallDetector,
    SessionEnds,
    SessionFacts,
    SessionStore,
    Sessions,
    Sweeper,
  ],
  exports: [LastSeen, WakeUps, StallDetector, SessionEnds, SessionFacts, SessionStore, Sessions],
})
export class SessionsModule implements OnApplicationShutdown {
  constructor(
    @Inject(REDIS_SUBSCRIBER) private readonly subscriber: RedisClient,
    sessions: Sessions,
    metrics: Metrics,
  ) {
    const help = 'Sessions of devices that this replica owns';
    metrics.observe({ name: 'lanyard_device_proxy_sessions', help }, () => sessions.size);
  }

  onApplicationShutdown(): void {
    this.subscriber.disconnect();
  }
}
