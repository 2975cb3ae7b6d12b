import { randomBytes } from 'node:crypto';
import { type Alert, decodeAlert } from '../src/messages/alert.js';
import { type ClientHello, encodeClientHello } from '../src/messages/client-hello.js';
import { decodeHandshakeFragments, encodeHandshake, HandshakeType } from '../src/messages/handshake.js';
import { decodeHelloVerifyRequest } from '../src/messages/hello-verify-request.js';
import { ContentType, decodeRecords, DTLS_1_2, encodePlainRecord, type WireRecord } from '../src/messages/record.js';
import { type Address, DtlsServer, type DtlsServerOptions, type HandshakeFailed } from '../src/index.js';
import { ManualClock } from './manual-clock.js';
import { keyOf, PSK_CCM_8 } from './peers.js';

const NO_BYTES = Buffer.alloc(0);

/** A server, and a client that is written message by message. */
export class RawClient {
  readonly clock = new ManualClock();
  readonly failures: HandshakeFailed[] = [];
  readonly server: DtlsServer;
  from: Address = { address: '192.0.2.9', port: 9_999 };
  private sent: { datagram: Buffer; to: Address }[] = [];
  private recordSequence = 0;

  constructor(options: Partial<DtlsServerOptions> = {}) {
    this.server = new DtlsServer({
      clock: this.clock,
      keyOf,
      onConnected: () => {},
      onMessage: () => {},
      ...options,
      send: (datagram, to) => this.sent.push({ datagram: Buffer.from(datagram), to }),
      onHandshakeFailed: (error) => this.failures.push(error),
    });
  }

  static hello(changes: Partial<ClientHello> = {}): ClientHello {
    return {
      version: DTLS_1_2,
      random: randomBytes(32),
      sessionId: NO_BYTES,
      cookie: NO_BYTES,
      cipherSuites: [PSK_CCM_8],
      extensions: { extendedMasterSecret: true },
      ...changes,
    };
  }

  /** Datagrams that the server sent since the last call. */
  takeDatagrams(): Buffer[] {
    return this.sent.splice(0).map(({ datagram }) => datagram);
  }

  takeRecords(): WireRecord[] {
    return this.takeDatagrams().flatMap((datagram) => decodeRecords(datagram, 0));
  }

  takeAlerts(): Alert[] {
    const alerts = this.takeRecords().filter(({ type }) => type === ContentType.Alert);
    return alerts.map(({ fragment }) => decodeAlert(fragment));
  }

  /** Handshake types of what the server sent. */
  takeTypes(): number[] {
    const records = this.takeRecords().filter(({ type }) => type === ContentType.Handshake);
    return records.flatMap(({ fragment }) => decodeHandshakeFragments(fragment).map(({ type }) => type));
  }

  message(type: number, messageSequence: number, body: Buffer): void {
    this.record(ContentType.Handshake, encodeHandshake(type, messageSequence, body));
  }

  record(type: number, content: Buffer): void {
    this.raw(encodePlainRecord(type, this.recordSequence++, content));
  }

  raw(datagram: Buffer): void {
    this.server.receive(datagram, this.from);
  }

  /** The cookie exchange; then the answer to the ClientHello waits in `take…`. */
  greet(hello: ClientHello): ClientHello {
    this.takeDatagrams();
    this.message(HandshakeType.ClientHello, 0, encodeClientHello(hello));
    const [record] = this.takeRecords();
    const [answer] = decodeHandshakeFragments(record!.fragment);
    const withCookie = { ...hello, cookie: Buffer.from(decodeHelloVerifyRequest(answer!.fragment).cookie) };
    this.message(HandshakeType.ClientHello, 1, encodeClientHello(withCookie));
    return withCookie;
  }
}
