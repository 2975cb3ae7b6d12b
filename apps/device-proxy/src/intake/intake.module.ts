import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ProducerModule } from '../producer/producer.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { Admission } from './admission.js';
import { DeviceEnrollment } from './device-enrollment.js';
import { EndpointNames } from './endpoint-names.js';
import { FirstContacts } from './first-contacts.js';

@Module({
  imports: [CredentialsModule, SessionsModule, ProducerModule, StateModule],
  providers: [Admission, EndpointNames, FirstContacts, DeviceEnrollment],
  exports: [Admission, EndpointNames],
})
export class IntakeModule {}
