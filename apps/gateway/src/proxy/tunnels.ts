import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Metrics, rawHead } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { tunnel } from './tunnel.js';

/** One side of a WebSocket, and the bytes that arrived behind its handshake. */
interface Side {
  socket: Socket;
  head: Buffer;
}

@Injectable()
export class Tunnels {
  private readonly closers = new Set<(code: number) => void>();
  private readonly open;
  /** Set once all are to close. */
  private closeCode: number | undefined;

  constructor(metrics: Metrics) {
    this.open = metrics.gauge({ name: 'lanyard_gateway_sockets', help: 'WebSockets passed through' });
  }

  /** Sends the upstream's response to the handshake, then joins both sides. */
  join(client: Side, upstream: Side, response: IncomingMessage): void {
    for (const { socket } of [client, upstream]) {
      socket.setTimeout(0);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 30_000);
    }
    client.socket.write(rawHead(101, response.rawHeaders));
    this.open.inc();
    const close = tunnel(client.socket, upstream.socket, { client: client.head, upstream: upstream.head });
    this.closers.add(close);
    client.socket.once('close', () => {
      this.open.dec();
      this.closers.delete(close);
    });
    if (this.closeCode !== undefined) close(this.closeCode);
  }

  /** Closes every WebSocket as soon as the frame in progress has passed, and each that opens from now on. */
  closeAll(code: number): void {
    this.closeCode = code;
    for (const close of this.closers) close(code);
  }
}
