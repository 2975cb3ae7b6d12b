import { Module } from '@nestjs/common';
import { BootstrapModule } from '../bootstrap/bootstrap.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { GroupsModule } from '../groups/groups.module.js';
import { SuspensionModule } from '../suspension/suspension.module.js';
import { ContactWriter } from './contact-writer.js';
import { FactsConsumer } from './facts.consumer.js';
import { SelectionAnswers } from './selection-answers.js';
import { SelectionWorker } from './selection-worker.js';
import { SessionWriter } from './session-writer.js';

@Module({
  imports: [BootstrapModule, DevicesModule, GroupsModule, SuspensionModule],
  controllers: [FactsConsumer],
  providers: [SelectionAnswers, SelectionWorker, SessionWriter, ContactWriter],
})
export class IntakeModule {}
