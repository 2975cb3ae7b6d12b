import { Module } from '@nestjs/common';
import { IntakeModule } from '../intake/intake.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ExplainController } from './explain.controller.js';
import { Explanations } from './explanations.js';

@Module({
  imports: [QueueModule, KeysModule, IntakeModule],
  controllers: [ExplainController],
  providers: [Explanations],
})
export class ExplainModule {}
