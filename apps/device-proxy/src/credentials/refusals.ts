import { DeviceEvents } from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import { storable } from '@lanyard/lwm2m';
import { type Clock, CLOCK, formatTimestamp, type Logger, LOGGER, Metrics, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Throttle } from '../events/throttle.js';
import { DeviceDirectory } from '../state/device-directory.js';

/** Why a connection or registration was refused. */
export type Reason =
  | 'unknown-identity'
  | 'wrong-key'
  | 'no-certificate'
  | 'unknown-certificate'
  | 'unknown-public-key'
  | 'expired-certificate'
  | 'revoked-certificate'
  | 'wrong-endpoint-name'
  | 'wrong-service'
  | 'no-bootstrap-credential'
  | 'handshake-failed';

/** At most one entry per device in this time, however many attempts there are. */
const refusalPeriodMs = 60_000;

/** Characters of what the client presented that an entry contains. */
const shownMax = 256;

/** Not in the tables of the specification. SYS_2xx belong to the registry, and SYS_3xx to the dispatcher. */
const credentialRefused = 'SYS_400';

const descriptions: Partial<Record<Reason, string>> = {
  'wrong-key': 'Connection refused: the pre-shared key is wrong',
  'expired-certificate': 'Connection refused: the certificate is not valid now',
  'wrong-endpoint-name': 'Registration refused: the credential belongs to another endpoint name',
  'wrong-service': 'Request refused: the credential is for bootstrapping only, or not for bootstrapping',
  'no-bootstrap-credential': 'Bootstrap refused: the device must present its bootstrap credential',
};

interface Tried {
  address?: string;
  accountId?: string;
  deviceId?: string;
  /** The endpoint name that the certificate is valid for: of a trusted issuer's certificate, only this names the device. */
  endpointName?: string;
  /** What the client presented: an identity, a subject or a name. Never a key. */
  shown?: string;
}

/** Reports refused credentials: a metric for each, and a throttled log line and entry in the device's event log. */
@Injectable()
export class Refusals {
  private readonly throttle: Throttle;
  private readonly total;

  constructor(
    private readonly producer: KafkaProducer,
    @Inject(DeviceDirectory) private readonly directory: Pick<DeviceDirectory, 'named'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.throttle = new Throttle(clock, refusalPeriodMs);
    this.total = metrics.counter({
      name: 'lanyard_device_proxy_refused_credentials_total',
      help: 'Connections and registrations that were refused because of the credential of the device',
      labelNames: ['reason'],
    });
  }

  report(reason: Reason, tried: Tried): void {
    this.total.inc({ reason });
    const { address, accountId, shown } = tried;
    const deviceId = this.deviceOf(tried);
    // Attempts that name no device share one line per reason: any client can make many of them.
    if (!this.throttle.isDue(deviceId ?? reason)) return;
    this.logger.warn({ reason, address, deviceId, shown }, 'device rejected because of its credential');
    const description = descriptions[reason];
    if (accountId === undefined || deviceId === undefined || description === undefined) return;
    const nowMs = this.clock.now();
    this.producer
      .send(DeviceEvents, {
        eventId: newId(nowMs),
        deviceId,
        accountId,
        eventCode: credentialRefused,
        description,
        data: {
          reason,
          ...(address !== undefined && { address }),
          ...(shown !== undefined && { shown: storable(shown.slice(0, shownMax)) }),
        },
        occurredAt: formatTimestamp(nowMs),
      })
      .catch((error: unknown) => {
        this.throttle.undo(deviceId);
        this.logger.warn({ err: error, deviceId }, 'refused credential not in the event log');
      });
  }

  private deviceOf({ accountId, deviceId, endpointName }: Tried): string | undefined {
    if (deviceId !== undefined || accountId === undefined || endpointName === undefined) return deviceId;
    return this.directory.named(accountId, endpointName)?.deviceId;
  }
}
