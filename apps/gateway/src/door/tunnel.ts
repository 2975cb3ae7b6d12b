import type { Duplex } from 'node:stream';

/** When one side has finished, the other gets this long to finish too. */
const halfOpenMs = 30_000;

/**
 * Joins two sockets: bytes flow both ways, the slower side holds the faster back, an end is passed on as an end, and
 * a broken side breaks the other. `heads`: what had arrived behind each side's handshake.
 */
export const tunnel = (client: Duplex, upstream: Duplex, heads: { client: Buffer; upstream: Buffer }): void => {
  const destroy = (): void => {
    client.destroy();
    upstream.destroy();
  };
  let halfOpen: NodeJS.Timeout | undefined;
  const link = (from: Duplex, to: Duplex, head: Buffer): void => {
    if (head.length > 0) to.write(head);
    from.pipe(to);
    from.on('error', destroy);
    from.once('end', () => (halfOpen ??= setTimeout(destroy, halfOpenMs).unref()));
    from.once('close', () => {
      // Closed without an end: it was cut.
      if (!from.readableEnded) destroy();
    });
  };
  link(client, upstream, heads.client);
  link(upstream, client, heads.upstream);
  for (const side of [client, upstream])
    side.once('close', () => {
      if (client.closed && upstream.closed) clearTimeout(halfOpen);
    });
};
