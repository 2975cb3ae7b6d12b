import { Module } from '@nestjs/common';
import { ProducerModule } from '../producer/producer.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { CredentialBook } from './credential-book.js';
import { Refusals } from './refusals.js';
import { TlsDoor } from './tls-door.js';
import { Withdrawals } from './withdrawals.js';

@Module({
  imports: [SessionsModule, ProducerModule, StateModule],
  providers: [CredentialBook, Refusals, TlsDoor, Withdrawals],
  exports: [Refusals, TlsDoor],
})
export class CredentialsModule {}
