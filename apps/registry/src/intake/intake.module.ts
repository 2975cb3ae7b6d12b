import { Module } from '@nestjs/common';
import { BootstrapModule } from '../bootstrap/bootstrap.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { GroupsModule } from '../groups/groups.module.js';
import { SuspensionModule } from '../suspension/suspension.module.js';
import { AccountsConsumer } from './accounts.consumer.js';
import { BootstrapsConsumer } from './bootstraps.consumer.js';
import { ContactWriter } from './contact-writer.js';
import { ContactsConsumer } from './contacts.consumer.js';
import { SelectionAnswers } from './selection-answers.js';
import { SelectionsConsumer } from './selections.consumer.js';
import { SessionWriter } from './session-writer.js';
import { SessionsConsumer } from './sessions.consumer.js';

@Module({
  imports: [BootstrapModule, DevicesModule, GroupsModule, SuspensionModule],
  controllers: [SessionsConsumer, ContactsConsumer, AccountsConsumer, BootstrapsConsumer, SelectionsConsumer],
  providers: [SelectionAnswers, SessionWriter, ContactWriter],
})
export class IntakeModule {}
