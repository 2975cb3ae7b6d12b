import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Deliverer } from '../commands/deliverer.js';
import { Observer } from '../observations/observer.js';
import { Heard } from '../sessions/heard.js';
import type { Session } from '../sessions/session.js';
import { Keeper } from '../subscriptions/keeper.js';

/** What follows once the device has its answer: commands that waited, subscriptions that rules ask for. */
@Injectable()
export class Afterwards {
  constructor(
    private readonly heard: Heard,
    private readonly deliverer: Deliverer,
    private readonly keeper: Keeper,
    private readonly observer: Observer,
    @Inject(LOGGER) private readonly logger: Logger,
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
