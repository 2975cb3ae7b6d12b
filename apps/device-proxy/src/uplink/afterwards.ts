import type { Logger } from '@lanyard/service';
import type { Deliverer } from '../commands/deliverer.js';
import type { Observer } from '../observations/observer.js';
import type { Heard } from '../sessions/heard.js';
import type { Session } from '../sessions/session.js';
import type { Keeper } from '../subscriptions/keeper.js';

/** What follows once the device has its answer: commands that waited, subscriptions that rules ask for. */
export class Afterwards {
  constructor(
    private readonly heard: Heard,
    private readonly deliverer: Deliverer,
    private readonly keeper: Keeper,
    private readonly observer: Observer,
    private readonly logger: Logger,
  ) {}

  registered(session: Session): void {
    session.greeted = true;
    this.updated(session);
    this.deliverer.look(session.deviceId);
    this.observer.adoptAutomatic(session).catch((error: unknown) => {
      this.logger.error({ err: error, deviceId: session.deviceId }, 'observations of the device itself not stored');
    });
  }

  updated(session: Session): void {
    this.heard.note(session);
    void this.keeper.applyRules(session);
  }
}
