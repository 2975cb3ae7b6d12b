import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalHttpServer {
  url: string;
  /** Also breaks its connections. */
  stop(): void;
}

/** An HTTP server on a free port of this machine. */
export const serve = async (answer: RequestListener): Promise<LocalHttpServer> => {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, stop: () => server.close().closeAllConnections() };
};
