import { type ChildProcess, spawn } from 'node:child_process';
import {
  CoapDatagramEndpoint,
  Code,
  type DatagramReceiver,
  type DatagramTransport,
  type Peer,
  type ReceivedResponse,
} from '@lanyard/coap';

/** The DTLS connection of a third-party client, as its user sees it: datagrams in and out. */
export interface ForeignLine {
  onDatagram: (datagram: Buffer) => void;
  send(datagram: Buffer): void;
  /** Ends it with a close_notify. */
  close(): Promise<void>;
}

/** How a program carries datagrams on its standard streams. */
interface Framing {
  encode(datagram: Buffer): Buffer;
  /** @returns The complete datagrams in the bytes that arrived, and the remaining bytes. */
  decode(bytes: Buffer): { datagrams: Buffer[]; rest: Buffer };
}

/** Both programs write received datagrams without boundaries; the server of the test knows the length of each. */
export const sizes = (sent: number[]): Framing => ({
  encode: (datagram) => datagram,
  decode(bytes) {
    const datagrams: Buffer[] = [];
    let rest = bytes;
    while (sent[0] !== undefined && rest.length >= sent[0]) {
      const end = sent.shift();
      datagrams.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    return { datagrams, rest };
  },
});

const lengthBytes = 2;

/** Each datagram is preceded by its length. */
export const lengths: Framing = {
  encode(datagram) {
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt16BE(datagram.length);
    return Buffer.concat([length, datagram]);
  },
  decode(bytes) {
    const datagrams: Buffer[] = [];
    let rest = bytes;
    while (rest.length >= lengthBytes && rest.length >= lengthBytes + rest.readUInt16BE()) {
      const end = lengthBytes + rest.readUInt16BE();
      datagrams.push(rest.subarray(lengthBytes, end));
      rest = rest.subarray(end);
    }
    return { datagrams, rest };
  },
};

/** A program that connects, and exchanges datagrams over its standard streams. It closes when its input ends. */
export class ProgramLine implements ForeignLine {
  onDatagram: (datagram: Buffer) => void = () => undefined;
  private readonly process: ChildProcess;
  private readonly gone: Promise<void>;
  private pending: Buffer = Buffer.alloc(0);

  constructor(
    program: string,
    args: readonly string[],
    private readonly framing: Framing,
  ) {
    this.process = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.gone = new Promise((resolve) => this.process.once('close', () => resolve()));
    this.process.stdin?.on('error', () => undefined);
    this.process.stdout?.on('data', (bytes: Buffer) => this.receive(bytes));
  }

  send(datagram: Buffer): void {
    this.process.stdin?.write(this.framing.encode(datagram));
  }

  async close(): Promise<void> {
    this.process.stdin?.end();
    await this.gone;
  }

  private receive(bytes: Buffer): void {
    const { datagrams, rest } = this.framing.decode(Buffer.concat([this.pending, bytes]));
    this.pending = rest;
    for (const datagram of datagrams) this.onDatagram(datagram);
  }
}

class LineTransport implements DatagramTransport {
  constructor(private readonly line: ForeignLine) {}

  async bind(receiver: DatagramReceiver) {
    this.line.onDatagram = (datagram) => receiver.receive(datagram, peer.key, peer.address, peer.port);
    return { address: peer.address, port: peer.port, receiveBufferBytes: 0 };
  }

  reaches(): boolean {
    return true;
  }

  send(bytes: Buffer): void {
    this.line.send(bytes);
  }

  close(): Promise<void> {
    return this.line.close();
  }
}

const peer: Peer = { key: 'server', address: 'server', port: 0, authority: 'server' };

/** Our CoAP over a third-party DTLS connection. */
export class CoapOverLine {
  private readonly endpoint: CoapDatagramEndpoint;

  private constructor(line: ForeignLine) {
    this.endpoint = new CoapDatagramEndpoint({
      transport: new LineTransport(line),
      limits: { closeTimeoutMs: 0 },
      onRequest: async () => ({ code: Code.NotFound }),
    });
  }

  static async on(line: ForeignLine): Promise<CoapOverLine> {
    const coap = new CoapOverLine(line);
    await coap.endpoint.listen();
    return coap;
  }

  get(path: string): Promise<ReceivedResponse> {
    return this.endpoint.request(peer, { method: Code.GET, path: [path] });
  }

  put(path: string, payload: Buffer): Promise<ReceivedResponse> {
    return this.endpoint.request(peer, { method: Code.PUT, path: [path], payload, contentFormat: 0 });
  }

  close(): Promise<void> {
    return this.endpoint.close();
  }
}
