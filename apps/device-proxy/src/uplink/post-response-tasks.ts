import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Deliverer } from '../commands/deliverer.js';
import { Lwm2mGateways } from '../lwm2m-gateways/lwm2m-gateways.js';
import { Observer } from '../observations/observer.js';
import { LastSeen } from '../sessions/last-seen.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import { SubscriptionReconciler } from '../subscriptions/subscription-reconciler.js';

/** Work after the device has its answer: waiting commands, and subscriptions of rules. */
@Injectable()
export class PostResponseTasks {
  constructor(
    private readonly sessions: Sessions,
    private readonly lastSeen: LastSeen,
    private readonly deliverer: Deliverer,
    private readonly reconciler: SubscriptionReconciler,
    private readonly observer: Observer,
    private readonly gateways: Lwm2mGateways,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  registered(session: Session): void {
    session.isRegistrationAnswered = true;
    this.updated(session);
    this.deliverer.checkQueue(session.deviceId);
    this.observer.adoptAutomatic(session).catch((error: unknown) => {
      this.logger.error({ err: error, deviceId: session.deviceId }, 'device-initiated observations not stored');
    });
  }

  updated(session: Session): void {
    this.lastSeen.recordMessage(session);
    void this.reconciler.applyRules(session);
    // Observations on devices behind it may have ended with its connection.
    for (const behind of this.sessions.behind(session))
      if (behind.appliedRules === undefined) void this.reconciler.applyRules(behind);
    this.gateways.refreshList(session);
  }
}
