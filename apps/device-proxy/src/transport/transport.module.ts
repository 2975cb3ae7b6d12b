import { Module } from '@nestjs/common';
import { DeviceLinks } from './device-links.js';
import { AdmissionControl } from './admission-control.js';

@Module({
  providers: [DeviceLinks, AdmissionControl],
  exports: [DeviceLinks, AdmissionControl],
})
export class TransportModule {}
