import { Module } from '@nestjs/common';
import { DeviceLinks } from './device-links.js';
import { Turnstile } from './turnstile.js';

@Module({ providers: [DeviceLinks, Turnstile], exports: [DeviceLinks, Turnstile] })
export class TransportModule {}
