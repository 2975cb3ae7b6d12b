import { awaiting, StopDeadline } from '@lanyard/service';
import { type BeforeApplicationShutdown, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { BootstrapModule } from '../bootstrap/bootstrap.module.js';
import { RunningBootstraps } from '../bootstrap/running-bootstraps.js';
import { CatchUp } from '../catch-up/catch-up.js';
import { CatchUpModule } from '../catch-up/catch-up.module.js';
import { CommandsModule } from '../commands/commands.module.js';
import { Deliverer } from '../commands/deliverer.js';
import { DownloadsModule } from '../downloads/downloads.module.js';
import { EventsModule } from '../events/events.module.js';
import { IntakeModule } from '../intake/intake.module.js';
import { Listeners } from '../listeners/listeners.js';
import { ListenersModule } from '../listeners/listeners.module.js';
import { Lwm2mGatewaysModule } from '../lwm2m-gateways/lwm2m-gateways.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { LastSeen } from '../sessions/last-seen.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { SuspensionModule } from '../suspension/suspension.module.js';
import { Notify } from './notify.js';
import { PostResponseTasks } from './post-response-tasks.js';
import { Reconnection } from './reconnection.js';
import { Register } from './register.js';
import { RestoredConnections } from './restored-connections.js';
import { UplinkRouter } from './router.js';
import { Send } from './send.js';
import { Update } from './update.js';

/**
 * Requests and notifications of devices. It opens and closes the listeners. As it imports every module that they need,
 * Nest starts this module after those and stops it before them.
 */
@Module({
  imports: [
    SuspensionModule,
    CatchUpModule,
    BootstrapModule,
    EventsModule,
    Lwm2mGatewaysModule,
    SubscriptionsModule,
    CommandsModule,
    DownloadsModule,
    ObservationsModule,
    ListenersModule,
    IntakeModule,
    SessionsModule,
    StateModule,
  ],
  providers: [PostResponseTasks, Reconnection, Notify, Register, RestoredConnections, Send, Update, UplinkRouter],
})
export class UplinkModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly listeners: Listeners,
    private readonly catchUp: CatchUp,
    private readonly deliverer: Deliverer,
    private readonly bootstraps: RunningBootstraps,
    private readonly restoredConnections: RestoredConnections,
    private readonly lastSeen: LastSeen,
    private readonly deadline: StopDeadline,
    router: UplinkRouter,
    notify: Notify,
  ) {
    listeners.onRequest((request) => router.answer(request));
    listeners.onNotification((notification) => notify.handleNotification(notification));
    listeners.onTakenOver((accountId, address) => restoredConnections.takeSession(accountId, address));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.listeners.start();
    await awaiting('Redis and PostgreSQL: what changed meanwhile', this.catchUp.everything());
    this.restoredConnections.resume();
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Written before the sockets close, because they know the positions of observations.
    await this.deadline.step('observations', () => this.lastSeen.flush());
    await this.deadline.step('devices', async () => {
      await Promise.all([this.deliverer.stop(), this.bootstraps.stop(), this.listeners.stop()]);
    });
  }
}
