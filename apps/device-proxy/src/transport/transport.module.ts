import { Module } from '@nestjs/common';
import { ConnectionIds } from './connection-ids.js';
import { DeviceLinks } from './device-links.js';
import { AdmissionControl } from './admission-control.js';

@Module({
  providers: [DeviceLinks, AdmissionControl, ConnectionIds],
  exports: [DeviceLinks, AdmissionControl, ConnectionIds],
})
export class TransportModule {}
