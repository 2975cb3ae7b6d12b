import { Module } from '@nestjs/common';
import { SelectionModule } from '../selection/selection.module.js';
import { CampaignWorker } from './campaign-worker.js';
import { CommandResults } from './command-results.js';
import { DevicePresence } from './device-presence.js';
import { DeviceStarter } from './device-starter.js';
import { DeviceTimers } from './device-timers.js';
import { DeviceUpdates } from './device-updates.js';
import { FinishedDevices } from './finished-devices.js';
import { OpenDevices } from './open-devices.js';
import { SelectionPages } from './selection-pages.js';

@Module({
  imports: [SelectionModule],
  providers: [
    DeviceUpdates,
    FinishedDevices,
    DeviceStarter,
    OpenDevices,
    CampaignWorker,
    DeviceTimers,
    CommandResults,
    DevicePresence,
    SelectionPages,
  ],
  exports: [CommandResults, DevicePresence, SelectionPages],
})
export class ProgressModule {}
