import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module.js';
import { CampaignCommandsConsumer } from './campaign-commands.consumer.js';
import { CampaignCommands } from './campaign-commands.js';

@Module({ imports: [CommandsModule], controllers: [CampaignCommandsConsumer], providers: [CampaignCommands] })
export class CampaignCommandsModule {}
