import { readFileSync } from 'node:fs';
import { CONFIG, type Logger, LOGGER, Metrics } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { CoapConfig, DeviceProxyConfig, TlsConfig } from '../config.js';
import { TlsAuthenticator } from '../credentials/tls-authenticator.js';
import { Sessions } from '../sessions/sessions.js';
import { AccessAccountsReader } from '../state/access-accounts.reader.js';
import { CoapStream, type StreamParts } from '../transport/coap-stream.js';
import { CoapUdp } from '../transport/coap-udp.js';
import { DeviceLinks } from '../transport/device-links.js';
import type { Scheme } from '../transport/peer-address.js';
import { acceptAll } from '../transport/connection-authenticator.js';
import type { Transport } from '../transport/transport.js';
import { AdmissionControl } from '../transport/admission-control.js';
import type { AnswerRequest } from '../transport/uplink-bridge.js';
import type { TakeNotification } from '../transport/coap-link.js';

type SharedParts = Pick<StreamParts, 'admissionControl' | 'logger' | 'events' | 'isSuspended'>;

/** The listeners for devices that the configuration asks for. They open when `start` is called, after everything else. */
@Injectable()
export class Listeners {
  private readonly streams: readonly CoapStream[];
  private readonly all: readonly Transport[];

  constructor(
    @Inject(CONFIG) { coap, tcp, tls }: DeviceProxyConfig,
    admissionControl: AdmissionControl,
    authenticator: TlsAuthenticator,
    accounts: AccessAccountsReader,
    links: DeviceLinks,
    private readonly sessions: Sessions,
    @Inject(LOGGER) logger: Logger,
    metrics: Metrics,
  ) {
    const events = metrics.counter({
      name: 'lanyard_device_proxy_stream_events_total',
      help: 'What happened to connections and messages of devices over TCP and TLS',
      labelNames: ['event', 'scheme'],
    });
    const shared = {
      admissionControl,
      logger,
      events,
      isSuspended: (accountId: string) => accounts.isSuspended(accountId),
    };
    this.streams = [...(tls ? [tlsStream(tls, authenticator, shared)] : []), ...(tcp ? [tcpStream(tcp, shared)] : [])];
    this.all = [...(coap ? [new CoapUdp(coap, admissionControl, logger, metrics)] : []), ...this.streams];
    for (const { scheme, link } of this.all) links.add(scheme, link);
    for (const stream of this.streams) stream.onGone((accountId, address) => this.silence(accountId, address));
  }

  /** Sets the handler for requests of devices. */
  onRequest(answer: AnswerRequest): void {
    for (const { uplink } of this.all) uplink.onRequest(answer);
  }

  /** Sets the handler for notifications of devices. */
  onNotification(take: TakeNotification): void {
    for (const { link } of this.all) link.onNotification(take);
  }

  async start(): Promise<void> {
    await Promise.all(this.all.map((transport) => transport.start()));
  }

  /** The sockets close when what is in flight has its answer, or after a few seconds. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((transport) => transport.stop()));
  }

  /** Closes every open connection of devices of the account. */
  disconnect(accountId: string, why: string): void {
    for (const stream of this.streams) stream.disconnect(accountId, why);
  }

  /** Bound port; 0 when there is no such listener. */
  portOf(scheme: Scheme): number {
    return this.all.find((transport) => transport.scheme === scheme)?.port ?? 0;
  }

  /** The connection of a device is over: its commands wait until it sends a message again. */
  private silence(accountId: string, address: string): void {
    const session = this.sessions.atAddress(accountId, address);
    if (session) session.silent = true;
  }
}

const tlsStream = (tls: TlsConfig, authenticator: TlsAuthenticator, shared: SharedParts): CoapStream => {
  const { host, port, certificateFile, privateKeyFile, limits } = tls;
  const certified =
    certificateFile === undefined || privateKeyFile === undefined
      ? {}
      : { certificate: readFileSync(certificateFile, 'utf8'), privateKey: readFileSync(privateKeyFile, 'utf8') };
  return new CoapStream({ scheme: 'coaps+tcp', host, port, limits, certified, authenticator, ...shared });
};

const tcpStream = ({ host, port, accountId }: CoapConfig, shared: SharedParts): CoapStream =>
  new CoapStream({
    scheme: 'coap+tcp',
    host,
    port,
    limits: {},
    certified: {},
    authenticator: acceptAll(accountId),
    ...shared,
  });
