import { CoapDatagramEndpoint, peerOf } from '@lanyard/coap';
import { type DtlsClientOptions, type PeerCredential } from '@lanyard/dtls';
import { type RetransmissionSettings } from '../settings/group.js';
import { isPreSharedKey, type Proof } from './credentials.js';
import { type DatagramParts, DatagramTransport, endpointLimits } from './datagram-transport.js';
import { type Server } from './device-transport.js';
import { DtlsLine } from './dtls-line.js';
import { localAddress } from './local-address.js';
import { isPackage } from './package-blocks.js';

export interface DtlsParts extends DatagramParts {
  credential: Proof;
  connectionIds: boolean;
  retransmission: RetransmissionSettings;
}

/** Records to a client need no id, as each client has a socket (RFC 9146 §3); the server may choose one for itself. */
const noOwnId = Buffer.alloc(0);

type ClientProof = Pick<DtlsClientOptions, 'psk' | 'certificate' | 'rawPublicKeys' | 'authenticate'>;

/** Unless the device knows the key of its server, any server is accepted: a simulated device has nothing to hide. */
const clientOptions = (proof: Proof): ClientProof => {
  if (isPreSharedKey(proof)) return { psk: { identity: Buffer.from(proof.identity), key: proof.key } };
  const { serverKey } = proof;
  const isExpected = (shown: PeerCredential): boolean =>
    serverKey === undefined || (shown.kind === 'raw-public-key' && shown.publicKey.equals(serverKey));
  return { certificate: proof, rawPublicKeys: proof.chain.length === 0, authenticate: isExpected };
};

export class DtlsTransport extends DatagramTransport<CoapDatagramEndpoint> {
  private line: DtlsLine | undefined;

  constructor(private readonly dtls: DtlsParts) {
    super(dtls);
  }

  get isOpen(): boolean {
    return this.peer !== undefined && (this.line?.isConnected ?? false);
  }

  async open({ address, port }: Server): Promise<void> {
    const line = (this.line ??= this.newLine(localAddress(address, this.parts.device)));
    this.endpoint ??= await this.listen(line);
    const peer = peerOf(address, port);
    const connected = await line.connect(peer);
    if (connected !== 'connected') this.parts.events.onHandshake(connected === 'resumed');
    this.talkTo(this.endpoint, peer);
  }

  async rebind(): Promise<void> {
    await this.line?.rebind();
  }

  override async invalidate(): Promise<void> {
    this.line?.abandon();
  }

  override async abandon(): Promise<void> {
    this.line?.abandon();
    await super.abandon();
  }

  override async close(): Promise<void> {
    this.line?.disconnect();
    await this.sleep();
  }

  private newLine(host: string): DtlsLine {
    const { credential, connectionIds, retransmission, timers, events } = this.dtls;
    const { ackTimeoutMs, retransmissions } = retransmission;
    return new DtlsLine({
      host,
      client: {
        ...clientOptions(credential),
        ...(connectionIds && { connectionId: noOwnId }),
        timers,
        limits: { retransmissionMs: ackTimeoutMs, handshakeMs: ackTimeoutMs * 2 ** (retransmissions + 1) },
      },
      onDisconnected: () => events.onDisconnected(),
    });
  }

  private async listen(transport: DtlsLine): Promise<CoapDatagramEndpoint> {
    const { events, timers, random } = this.parts;
    const endpoint = new CoapDatagramEndpoint({
      transport,
      timers,
      random,
      limits: endpointLimits,
      takesBlocks: isPackage,
      onRequest: events.onRequest,
      onObserverReset: ({ token }) => events.onObserverReset(token),
    });
    await endpoint.listen();
    return endpoint;
  }
}
