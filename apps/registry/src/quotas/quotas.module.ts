import { Module } from '@nestjs/common';
import { AccountQuotasReader } from './account-quotas.reader.js';
import { DeviceQuotas } from './device-quotas.js';

@Module({ providers: [AccountQuotasReader, DeviceQuotas], exports: [DeviceQuotas] })
export class QuotasModule {}
