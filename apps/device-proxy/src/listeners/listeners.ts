import { readFileSync } from 'node:fs';
import { CONFIG, type Logger, LOGGER, Metrics } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { CoapConfig, DeviceProxyConfig, TlsConfig } from '../config.js';
import { TlsDoor } from '../credentials/tls-door.js';
import { Sessions } from '../sessions/sessions.js';
import { AccessAccountsReader } from '../state/access-accounts.reader.js';
import { CoapStream, type StreamParts } from '../transport/coap-stream.js';
import { CoapUdp } from '../transport/coap-udp.js';
import { DeviceLinks } from '../transport/device-links.js';
import type { Scheme } from '../transport/peer-address.js';
import { openDoor } from '../transport/stream-door.js';
import type { Transport } from '../transport/transport.js';
import { Turnstile } from '../transport/turnstile.js';
import type { AnswerRequest } from '../transport/uplink-bridge.js';
import type { TakeNotification } from '../transport/coap-link.js';

type SharedParts = Pick<StreamParts, 'turnstile' | 'logger' | 'events' | 'isSuspended'>;

/** The listeners for devices that the configuration asks for. They open when `start` is called, after everything else. */
@Injectable()
export class Listeners {
  private readonly streams: readonly CoapStream[];
  private readonly all: readonly Transport[];

  constructor(
    @Inject(CONFIG) { coap, tcp, tls }: DeviceProxyConfig,
    turnstile: Turnstile,
    door: TlsDoor,
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
    const shared = { turnstile, logger, events, isSuspended: (accountId: string) => accounts.isSuspended(accountId) };
    this.streams = [...(tls ? [tlsStream(tls, door, shared)] : []), ...(tcp ? [tcpStream(tcp, shared)] : [])];
    this.all = [...(coap ? [new CoapUdp(coap, turnstile, logger, metrics)] : []), ...this.streams];
    for (const { scheme, link } of this.all) links.add(scheme, link);
    for (const stream of this.streams) stream.onGone((accountId, address) => this.silence(accountId, address));
  }

  /** Who answers the requests of devices. */
  onRequest(answer: AnswerRequest): void {
    for (const { uplink } of this.all) uplink.onRequest(answer);
  }

  /** Who takes the notifications of devices. */
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

  /** The connection of a device is over: its commands wait until it is heard again. */
  private silence(accountId: string, address: string): void {
    const session = this.sessions.at(accountId, address);
    if (session) session.silent = true;
  }
}

const tlsStream = (tls: TlsConfig, door: TlsDoor, shared: SharedParts): CoapStream => {
  const { host, port, certificateFile, privateKeyFile, limits } = tls;
  const certified =
    certificateFile === undefined || privateKeyFile === undefined
      ? {}
      : { certificate: readFileSync(certificateFile, 'utf8'), privateKey: readFileSync(privateKeyFile, 'utf8') };
  return new CoapStream({ scheme: 'coaps+tcp', host, port, limits, certified, door, ...shared });
};

const tcpStream = ({ host, port, accountId }: CoapConfig, shared: SharedParts): CoapStream =>
  new CoapStream({
    scheme: 'coap+tcp',
    host,
    port,
    limits: {},
    certified: {},
    door: openDoor(accountId),
    ...shared,
  });
