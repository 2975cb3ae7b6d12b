import { CoapError, type TimerWheel } from '@lanyard/coap';
import { type GroupSettings } from '../settings/group.js';
import { isSecure } from '../settings/server-url.js';
import { isPreSharedKey } from './credentials.js';
import { type TransportOf } from './device-transport.js';
import { DtlsTransport } from './dtls-transport.js';
import { StreamPool, StreamTransport } from './stream-transport.js';
import { UdpTransport } from './udp-transport.js';

/** What all transports of the process share. */
export class Transports {
  private pool: StreamPool | undefined;
  /**
   * Number of devices of all groups so far. Devices are numbered across groups, so that no more of them share a local
   * address than if they were one group.
   */
  private devices = 0;

  constructor(
    private readonly timers: TimerWheel,
    private readonly random: () => number,
  ) {}

  transportOf({
    devices,
    connectionIds,
    ...retransmission
  }: Pick<GroupSettings, 'devices' | 'connectionIds' | 'ackTimeoutMs' | 'retransmissions'>): TransportOf {
    const { timers, random } = this;
    const first = this.devices;
    this.devices += devices;
    return (number, { scheme, credential }, events) => {
      const parts = { device: first + number, events, timers, random };
      if (scheme === 'coap') return new UdpTransport(parts);
      if (scheme === 'coaps' && credential)
        return new DtlsTransport({ ...parts, credential, connectionIds, retransmission });
      const key = credential && isPreSharedKey(credential) ? credential : undefined;
      if (isSecure(scheme) && !key) throw new NoCredential(scheme);
      return new StreamTransport((this.pool ??= new StreamPool()), events, isSecure(scheme) ? key : undefined);
    };
  }
}

/** The device has no credential for this server, or one of the wrong kind. */
export class NoCredential extends CoapError {
  constructor(scheme: string) {
    super(`the device has no credential for ${scheme}`);
  }
}
