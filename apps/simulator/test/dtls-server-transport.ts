import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { type BoundAddress, type DatagramReceiver, type DatagramTransport, type Peer, UdpSocket } from '@lanyard/coap';
import { type DtlsConnection, DtlsServer, type OwnCertificate, type PeerCredential } from '@lanyard/dtls';
import { selfSigned } from '@lanyard/testing';

const serverCertificate = (): OwnCertificate => {
  const { certificate, privateKey } = selfSigned('server');
  return { chain: [new X509Certificate(certificate).raw], privateKey: createPrivateKey(privateKey) };
};

/** The listener of a server over DTLS: a peer is a connection. */
export class DtlsServerTransport implements DatagramTransport {
  readonly keys = new Map<string, Buffer>();
  readonly moves: number[] = [];
  private readonly connections = new Map<string | number, DtlsConnection>();
  private receiver: DatagramReceiver | undefined;
  private readonly socket = new UdpSocket({
    host: '127.0.0.1',
    port: 0,
    receiveBufferBytes: undefined,
    onDatagram: (bytes, address, port) => this.server.receive(bytes, { address, port }),
    onError: () => undefined,
  });
  /** How each client proved who it is, in the order of their handshakes. */
  readonly proofs: PeerCredential[] = [];
  readonly certificate = serverCertificate();
  readonly server = new DtlsServer({
    certificate: this.certificate,
    authenticate: () => true,
    send: (bytes, { address, port }) => this.socket.send(bytes, address, port),
    keyOf: (identity) => this.keys.get(identity.toString()),
    newConnectionId: () => randomBytes(8),
    onConnected: (connection) => {
      this.connections.set(connection.id, connection);
      this.proofs.push(connection.peer);
    },
    onMessage: (connection, plaintext) => {
      this.receiver?.receive(plaintext, connection.id, connection.remote.address, connection.remote.port);
    },
    onMoved: (_connection, _from, { port }) => void this.moves.push(port),
    onClosed: ({ id }) => {
      this.connections.delete(id);
      this.receiver?.disconnected(id);
    },
  });

  bind(receiver: DatagramReceiver): Promise<BoundAddress> {
    this.receiver = receiver;
    return this.socket.bind();
  }

  reaches({ key }: Peer): boolean {
    return this.connections.has(key);
  }

  send(bytes: Buffer, { key }: Peer): void {
    this.connections.get(key)?.send(bytes);
  }

  /** Ends every connection without a word, as after a crash. */
  forgetAll(): void {
    for (const connection of [...this.connections.values()]) connection.endWith('closed');
  }

  close(): Promise<void> {
    this.server.close();
    return this.socket.close();
  }
}
