import type { Duplex } from 'node:stream';
import { ClientFrames } from './client-frames.js';

/** How long the other side has to finish once one side has. */
const halfOpenMs = 30_000;

/**
 * Joins two sockets: bytes flow both ways, the slower side holds the faster back, an end is passed on as an end, and
 * a broken side breaks the other. `heads`: bytes that had arrived after each side's handshake. The returned function
 * closes the WebSocket with a code: it sends a close frame to the dispatcher in the client's name, and the dispatcher
 * answers with that code behind everything that it has sent.
 */
export const tunnel = (
  client: Duplex,
  upstream: Duplex,
  heads: { client: Buffer; upstream: Buffer },
): ((code: number) => void) => {
  const frames = new ClientFrames();
  const destroy = (): void => {
    client.destroy();
    upstream.destroy();
  };
  let halfOpen: NodeJS.Timeout | undefined;
  const link = (from: Duplex, to: Duplex, head: Buffer): void => {
    const way = from === client ? frames : to;
    if (head.length > 0) way.write(head);
    from.pipe(way);
    from.on('error', destroy);
    from.once('end', () => (halfOpen ??= setTimeout(destroy, halfOpenMs).unref()));
    from.once('close', () => {
      // Closed without an end: it was cut.
      if (!from.readableEnded) destroy();
    });
  };
  frames.pipe(upstream);
  link(client, upstream, heads.client);
  link(upstream, client, heads.upstream);
  for (const side of [client, upstream])
    side.once('close', () => {
      if (client.closed && upstream.closed) clearTimeout(halfOpen);
    });
  return (code) => frames.close(code);
};
