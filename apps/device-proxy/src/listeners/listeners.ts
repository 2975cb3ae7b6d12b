import { type Clock, CLOCK, CONFIG, type Logger, LOGGER, Metrics, type Timer } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { SharedConnections } from '../connections/shared-connections.js';
import { DtlsDeviceAuthenticator } from '../credentials/dtls-device-authenticator.js';
import { TlsAuthenticator } from '../credentials/tls-authenticator.js';
import { Sessions } from '../sessions/sessions.js';
import { AccessAccountsReader } from '../state/access-accounts.reader.js';
import { DeviceDirectory } from '../state/device-directory.js';
import type { CoapDtls } from '../transport/coap-dtls.js';
import type { CoapStream } from '../transport/coap-stream.js';
import { CoapUdp } from '../transport/coap-udp.js';
import { DeviceLinks } from '../transport/device-links.js';
import { outlivesReplica, type Scheme, schemeOf } from '../transport/peer-address.js';
import type { DisconnectListener, RadioOf, Transport } from '../transport/transport.js';
import { AdmissionControl } from '../transport/admission-control.js';
import type { AnswerRequest } from '../transport/uplink-bridge.js';
import type { DeliverNotification } from '../transport/coap-link.js';
import {
  type CertificateFiles,
  CertificateRenewal,
  renewalPeriodMs,
  type RenewalParts,
} from './certificate-renewal.js';
import { certificateMetric, coapEventsMetric, dtlsMetrics } from './listener-metrics.js';
import { dtlsListener, ownCertificate } from './dtls-listener.js';
import { tcpStream, tlsStream } from './stream-listeners.js';

/** How the certificate of a listener is renewed, in a list that is empty if the listener has no certificate. */
const renewalsOf = (
  scheme: Scheme,
  config: Partial<CertificateFiles> | undefined,
  use: RenewalParts['use'],
): Omit<RenewalParts, 'logger'>[] => {
  const { certificateFile, privateKeyFile } = config ?? {};
  if (certificateFile === undefined || privateKeyFile === undefined) return [];
  return [{ scheme, files: { certificateFile, privateKeyFile }, use }];
};

/** The listeners for devices that the configuration asks for. They open when `start` is called, after everything else. */
@Injectable()
export class Listeners {
  /** The listener for DTLS; undefined when it is off. */
  readonly dtls: CoapDtls | undefined;
  /** The listeners whose devices have connections: all but that for UDP without security. */
  private readonly connectionListeners: readonly (CoapStream | CoapDtls)[];
  private readonly all: readonly Transport[];
  private readonly renewals: readonly CertificateRenewal[];
  private renewalTimer: Timer | undefined;

  constructor(
    @Inject(CONFIG) { coap, dtls, tcp, tls }: DeviceProxyConfig,
    admissionControl: AdmissionControl,
    tlsAuthenticator: TlsAuthenticator,
    dtlsAuthenticator: DtlsDeviceAuthenticator,
    sharing: SharedConnections,
    accounts: AccessAccountsReader,
    directory: DeviceDirectory,
    links: DeviceLinks,
    private readonly sessions: Sessions,
    @Inject(CLOCK) private readonly clock: Clock,
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
      isSuspended: (accountId: string) => accounts.isSuspended(accountId),
    };
    const radioOf: RadioOf = (accountId, address) => {
      const session = sessions.atAddress(accountId, address);
      return session && directory.get(session.deviceId);
    };
    // Created before the listeners read the same files, so that a file replaced in between is read again.
    this.renewals = [
      ...renewalsOf('coaps', dtls, ({ certificate, privateKey }) =>
        this.dtls?.replaceCertificate(ownCertificate(privateKey, certificate)),
      ),
      ...renewalsOf('coaps+tcp', tls, (texts) => stream?.replaceCertificate(texts)),
    ].map((renewal) => new CertificateRenewal({ ...renewal, logger }));
    certificateMetric(metrics, this.renewals);
    this.dtls =
      dtls &&
      dtlsListener(dtls, {
        ...shared,
        authenticator: dtlsAuthenticator,
        clock,
        radioOf,
        handshakeTimerOf: (sender) => directory.ofSender(sender)?.handshakeTimerMs,
        sharing,
        isRegistered: (accountId, address) => sessions.hasAt(accountId, address),
        registeredUntilMs: (accountId, address) => sessions.expiryAt(accountId, address) ?? 0,
        confirmSession: (accountId, address) => this.confirmSession(accountId, address),
      });
    const stream = tls && tlsStream(tls, tlsAuthenticator, { ...shared, events });
    this.connectionListeners = [
      ...(this.dtls ? [this.dtls] : []),
      ...(stream ? [stream] : []),
      ...(tcp ? [tcpStream(tcp, { ...shared, events })] : []),
    ];
    const udp = coap && new CoapUdp(coap, admissionControl, logger, radioOf);
    this.all = [...(udp ? [udp] : []), ...this.connectionListeners];
    coapEventsMetric(metrics, [udp, this.dtls]);
    if (this.dtls) dtlsMetrics(metrics, this.dtls);
    for (const { scheme, link } of this.all) links.add(scheme, link);
    for (const transport of this.connectionListeners)
      transport.onGone((accountId, address) => this.markSilent(accountId, address));
  }

  /** Sets the handler for requests of devices. */
  onRequest(answer: AnswerRequest): void {
    for (const { uplink } of this.all) uplink.onRequest(answer);
  }

  /** Sets the handler for notifications of devices. */
  onNotification(deliver: DeliverNotification): void {
    for (const { link } of this.all) link.onNotification(deliver);
  }

  /** Sets the handler for a device whose connection was taken over from another replica: its session is taken over as well. */
  onTakenOver(takenOver: DisconnectListener): void {
    this.dtls?.onTakenOver(takenOver);
  }

  async start(): Promise<void> {
    await Promise.all(this.all.map((transport) => transport.start()));
    if (this.renewals.length > 0)
      this.renewalTimer = this.clock.every(renewalPeriodMs, () => void this.renewCertificates());
  }

  /** Continues the DTLS connection at this address, which this replica had before a restart. False: its device must send first. */
  async resume(address: string): Promise<boolean> {
    return schemeOf(address) === 'coaps' && outlivesReplica(address) && (await this.dtls?.resume(address)) === true;
  }

  /** The sockets close when requests in flight have their answers, or after a few seconds. */
  async stop(): Promise<void> {
    this.renewalTimer?.cancel();
    await Promise.all(this.all.map((transport) => transport.stop()));
  }

  /** Lets listeners whose certificate files were replaced show the new certificate. */
  async renewCertificates(): Promise<void> {
    await Promise.all(this.renewals.map((renewal) => renewal.reloadIfChanged()));
  }

  /** Closes every open connection of devices of the account. */
  disconnect(accountId: string, why: string): void {
    for (const transport of this.connectionListeners) transport.disconnect(accountId, why);
  }

  /** Bound port; 0 when there is no such listener. */
  portOf(scheme: Scheme): number {
    return this.all.find((transport) => transport.scheme === scheme)?.port ?? 0;
  }

  private async confirmSession(accountId: string, address: string): Promise<void> {
    const session = this.sessions.atAddress(accountId, address);
    if (session) await this.sessions.confirmOwnership(session);
  }

  /** The connection of a device is over: its commands wait until it sends a message again. */
  private markSilent(accountId: string, address: string): void {
    const session = this.sessions.atAddress(accountId, address);
    if (session) session.silent = true;
  }
}
