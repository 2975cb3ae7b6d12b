import { Metrics } from '@lanyard/service';
import { Injectable } from '@nestjs/common';

/** Counts the bytes of packages that devices get. */
@Injectable()
export class PackageBytes {
  private readonly total;

  constructor(metrics: Metrics) {
    this.total = metrics.counter({
      name: 'lanyard_device_proxy_package_bytes_total',
      help: 'Bytes of packages for devices, pulled by them or pushed to them',
      labelNames: ['delivery'],
    });
  }

  count(delivery: 'pull' | 'push', bytes: number): void {
    this.total.inc({ delivery }, bytes);
  }
}
