import { Module } from '@nestjs/common';
import { DownloadsModule } from '../downloads/downloads.module.js';
import { DownlinkModule } from '../downlink/downlink.module.js';
import { IntakeModule } from '../intake/intake.module.js';
import { InterestModule } from '../interest/interest.module.js';
import { Interest } from '../interest/interest.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { LastSeen } from '../sessions/last-seen.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { Sessions } from '../sessions/sessions.js';
import { StateModule } from '../state/state.module.js';
import { CommandClaims } from './command-claims.js';
import { CommandEnds } from './command-ends.js';
import { CommandExecution } from './command-execution.js';
import { CommandIntake } from './command-intake.js';
import { CommandQueue } from './command-queue.js';
import { Commands } from './commands.js';
import { Deliverer } from './deliverer.js';
import { CommandExpiry, CommandHistorySweep } from './expiry.js';
import { FinishedCommands } from './finished-commands.js';
import { CommandHistoryController } from './history.controller.js';
import { CommandHistory } from './history.js';
import { PackageOffers } from './package-offers.js';
import { Pushes } from './pushes.js';
import { StuckCommandsController } from './stuck-commands.controller.js';
import { StuckCommands } from './stuck-commands.js';

@Module({
  imports: [
    DownloadsModule,
    ObservationsModule,
    InterestModule,
    IntakeModule,
    DownlinkModule,
    SessionsModule,
    StateModule,
  ],
  controllers: [CommandHistoryController, StuckCommandsController],
  providers: [
    CommandClaims,
    CommandEnds,
    CommandExecution,
    CommandExpiry,
    CommandHistory,
    CommandHistorySweep,
    CommandIntake,
    CommandQueue,
    Commands,
    Deliverer,
    FinishedCommands,
    PackageOffers,
    Pushes,
    StuckCommands,
  ],
  exports: [CommandHistory, CommandQueue, Commands, Deliverer],
})
export class CommandsModule {
  constructor(deliverer: Deliverer, lastSeen: LastSeen, interest: Interest, sessions: Sessions) {
    lastSeen.onMessage((session) => {
      deliverer.resume(session.deviceId);
      for (const { deviceId } of sessions.behind(session)) deliverer.resume(deviceId);
    });
    sessions.listen({
      // The session existed before: its audience must be known before its next value arrives. Restored ones are loaded together.
      began: async (session, how) => {
        if (how !== 'taken') return;
        await interest.load(session);
        deliverer.checkQueue(session.deviceId);
      },
    });
  }
}
