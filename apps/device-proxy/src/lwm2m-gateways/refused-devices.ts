import { DeviceEvents } from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import { storable } from '@lanyard/lwm2m';
import { type Clock, CLOCK, formatTimestamp, type Logger, LOGGER, Metrics, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { NotServed } from '../intake/admission.js';
import type { Session } from '../sessions/session.js';
import { entriesMax } from './limits.js';

/** The code of every device that is refused because of its name or credential. */
const deviceRefused = 'SYS_400';

/** A device that a gateway lists but that is not served. */
export interface RefusedDevice {
  instance: number;
  deviceId?: string;
  prefix?: string;
  problem: string;
}

export const problems: Record<NotServed, string> = {
  'account-suspended': 'the account is suspended',
  'name-taken': 'the name belongs to a device that is not behind this LwM2M gateway (host_gateway)',
  'has-credential': 'the device has a credential of its own, and has to connect by itself',
  'registered-itself': 'the device is registered by itself',
  suspended: 'the device is suspended',
  'unknown-device': 'the device is unknown, and the account accepts no unknown devices',
  'quota-reached': 'the account has as many devices as its quota allows',
};

/** Characters of a name or a prefix that an entry in the event log contains. */
const shownMax = 256;

/** What distinguishes the problems of a list. */
const keyOf = ({ instance, deviceId, prefix, problem }: RefusedDevice): string =>
  JSON.stringify([instance, deviceId, prefix, problem]);

/** Records in the event log of the gateway which of the devices behind it are not served, and why. */
@Injectable()
export class RefusedDevices {
  private readonly total;

  constructor(
    private readonly producer: KafkaProducer,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.total = metrics.counter({
      name: 'lanyard_device_proxy_refused_devices_behind_total',
      help: 'Devices that LwM2M gateways list and that are not served',
    });
  }

  /** Reports the devices that were not reported before. Returns the keys of all, which are the next `reported`. */
  reportNew(gateway: Session, all: readonly RefusedDevice[], reported: ReadonlySet<string>): ReadonlySet<string> {
    this.report(
      gateway,
      all.filter((one) => !reported.has(keyOf(one))),
    );
    return new Set(all.map(keyOf));
  }

  report(gateway: Session, refused: readonly RefusedDevice[]): void {
    if (refused.length === 0) return;
    this.total.inc(refused.length);
    const shown = refused.slice(0, entriesMax);
    const { deviceId } = gateway;
    this.logger.warn({ deviceId, refused: shown, count: refused.length }, 'devices behind a gateway refused');
    for (const one of shown) this.record(gateway, one);
    const more = refused.length - shown.length;
    if (more > 0) this.record(gateway, { problem: `${more} more devices behind the LwM2M gateway are refused` });
  }

  private record(
    { accountId, deviceId }: Session,
    { instance, deviceId: name, prefix, problem }: Partial<RefusedDevice> & { problem: string },
  ): void {
    const nowMs = this.clock.now();
    this.producer
      .send(DeviceEvents, {
        eventId: newId(nowMs),
        deviceId,
        accountId,
        eventCode: deviceRefused,
        description: `Device behind the LwM2M gateway refused: ${problem}`,
        data: {
          reason: 'behind-gateway',
          ...(instance !== undefined && { instance: String(instance) }),
          ...(name !== undefined && { endpoint_name: storable(name.slice(0, shownMax)) }),
          ...(prefix !== undefined && { prefix: storable(prefix.slice(0, shownMax)) }),
        },
        occurredAt: formatTimestamp(nowMs),
      })
      .catch((err: unknown) => this.logger.warn({ err, deviceId }, 'refused device not in the event log'));
  }
}
