import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type BoundAddress,
  CoapDatagramEndpoint,
  Code,
  type DatagramReceiver,
  type DatagramTransport,
  NotConnected,
  type Peer,
  RequestAbandoned,
  UdpSocket,
} from '../src/index.js';
import { ManualClock } from './manual-clock.js';
import { until } from './bench-of-endpoints.js';

/** Over UDP, with the id of a connection in front of each datagram: peers may move, and a connection may end. */
class Connections implements DatagramTransport {
  /** Where each connection was last heard from, or where it leads to. */
  readonly remotes = new Map<string, { address: string; port: number }>();
  private receiver!: DatagramReceiver;
  private socket = this.open();

  async bind(receiver: DatagramReceiver): Promise<BoundAddress> {
    this.receiver = receiver;
    return this.socket.bind();
  }

  reaches({ key }: Peer): boolean {
    return this.remotes.has(String(key));
  }

  send(bytes: Buffer, { key }: Peer): void {
    const to = this.remotes.get(String(key));
    if (to) this.socket.send(Buffer.concat([Buffer.from(String(key)), bytes]), to.address, to.port);
  }

  close(): Promise<void> {
    return this.socket.close();
  }

  end(connection: string): void {
    this.remotes.delete(connection);
    this.receiver.disconnected(connection);
  }

  /** From now on from another port. */
  async move(): Promise<void> {
    await this.socket.close();
    this.socket = this.open();
    await this.socket.bind();
  }

  private open(): UdpSocket {
    return new UdpSocket({
      host: '127.0.0.1',
      port: 0,
      receiveBufferBytes: undefined,
      onDatagram: (bytes, address, port) => {
        const connection = bytes.toString('latin1', 0, 1);
        this.remotes.set(connection, { address, port });
        this.receiver.receive(bytes.subarray(1), connection, connection, 0);
      },
      onError: () => undefined,
    });
  }
}

const peer = (key: string): Peer => ({ key, address: key, port: 0, authority: key });
const get = { method: Code.GET, path: ['3', '0'] };

describe('a transport whose peers are connections', () => {
  const open: CoapDatagramEndpoint[] = [];
  afterEach(() => Promise.all(open.splice(0).map((endpoint) => endpoint.close())));

  const endpoint = (onRequest: ConstructorParameters<typeof CoapDatagramEndpoint>[0]['onRequest']) => {
    const transport = new Connections();
    const clock = new ManualClock();
    const one = new CoapDatagramEndpoint({
      transport,
      clock,
      limits: { closeTimeoutMs: 0 },
      onRequest,
    });
    open.push(one);
    return { endpoint: one, transport, clock };
  };

  const pair = async () => {
    const asked: Peer[] = [];
    const server = endpoint(async (request) => {
      asked.push(request.peer);
      return { code: Code.Changed };
    });
    const device = endpoint(async ({ observe }) => ({
      code: Code.Content,
      payload: Buffer.from('1'),
      ...(observe === 0 && { observe: 1 }),
    }));
    const { port } = await server.endpoint.listen();
    await device.endpoint.listen();
    device.transport.remotes.set('a', { address: '127.0.0.1', port });
    return { server, device, asked };
  };

  it('knows a peer by its connection, from whatever address it comes', async () => {
    const { server, device, asked } = await pair();
    await device.endpoint.request(peer('a'), get);
    const values: string[] = [];
    const { token } = await server.endpoint.observe(asked[0]!, get, async ({ payload }) => {
      values.push(payload.toString());
    });
    await device.transport.move();
    const before = server.transport.remotes.get('a');
    const sent = { token, observeNumber: 2, payload: Buffer.from('2'), confirmable: true };
    expect(await device.endpoint.notify(peer('a'), sent)).toBe('acknowledged');
    expect(values).toEqual(['2']);
    expect(server.transport.remotes.get('a')).not.toEqual(before);
    expect((await server.endpoint.request(peer('a'), get)).payload.toString()).toBe('1');
    expect(asked).toEqual([{ key: 'a', address: 'a', port: 0, authority: 'a' }]);
  });

  it('rejects what waits when the connection ends, says what was sent, and keeps what is observed', async () => {
    const { server, device, asked } = await pair();
    await device.endpoint.request(peer('a'), get);
    const { token } = await server.endpoint.observe(asked[0]!, get, async () => undefined);
    await device.transport.close();
    const [sent, waiting] = [server.endpoint.request(peer('a'), get), server.endpoint.request(peer('a'), get)];
    await until(() => server.endpoint.gauges().requestsQueued === 1);
    server.transport.end('a');
    await expect(sent).rejects.toEqual(new NotConnected(true));
    await expect(waiting).rejects.toEqual(new NotConnected(false));
    await expect(server.endpoint.request(peer('a'), get)).rejects.toEqual(new NotConnected(false));
    expect(server.endpoint.observes(peer('a'), token)).toBe(true);
  });

  it('uses a message id once within the exchange lifetime: the next request waits, and may end meanwhile', async () => {
    const { server, device } = await pair();
    await device.endpoint.request(peer('a'), get);
    const { remotes } = server.transport;
    const remote = remotes.get('a')!;
    remotes.delete('a');
    // They reach no device, but each takes an id.
    const lost = { token: Buffer.from('t'), payload: Buffer.alloc(0), confirmable: false };
    for (let n = 0; n < 65_535; n += 1) await server.endpoint.notify(peer('a'), lost);
    remotes.set('a', remote);
    const sent: (number | undefined)[] = [];
    const read = { ...get, onSent: ({ messageId }: { messageId?: number }) => void sent.push(messageId) };
    await server.endpoint.request(peer('a'), read);
    expect(sent).toHaveLength(1);
    const giveUp = new AbortController();
    const ended = server.endpoint.request(peer('a'), { ...read, signal: giveUp.signal });
    const waiting = server.endpoint.request(peer('a'), read);
    giveUp.abort();
    await expect(ended).rejects.toThrow(RequestAbandoned);
    server.clock.advance(246_900);
    expect(sent).toHaveLength(1);
    server.clock.advance(100);
    expect((await waiting).payload.toString()).toBe('1');
    expect(sent).toHaveLength(2);
  });
});
