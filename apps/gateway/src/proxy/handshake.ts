import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { type Replica, UpstreamReplicas } from './replicas.js';
import { failedToConnect } from './upstream-calls.js';

const connectTimeoutMs = 2_000;
const answerTimeoutMs = 10_000;

/** What a replica answers to a handshake while it stops. */
const stoppingStatus = 503;

export interface HandshakeResult {
  response: IncomingMessage;
  /** Set when the replica switched protocols. */
  upgraded?: { socket: Socket; head: Buffer };
}

const open = (replica: Replica, path: string, headers: Record<string, string | string[]>): ClientRequest => {
  const { protocol, port } = replica.url;
  // An IPv6 address is in brackets in a URL only.
  const host = replica.url.hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'https:') return httpsRequest({ host, port, path, headers, agent: false });
  // Half-open, so that data from the client still arrives after the replica's last byte.
  const createConnection = (): Socket => connect({ host, port: Number(port || 80), allowHalfOpen: true });
  return httpRequest({ host, port, path, headers, createConnection });
};

/** Asks one replica to upgrade. Rejects if it cannot be reached or does not answer. */
const handshake = (
  replica: Replica,
  path: string,
  headers: Record<string, string | string[]>,
  signal: AbortSignal,
): Promise<HandshakeResult> =>
  new Promise((resolve, reject) => {
    const asked = open(replica, path, headers);
    const giveUp = (after: string): void =>
      void asked.destroy(Object.assign(new Error(`no ${after} in time`), { code: 'ETIMEDOUT', syscall: after }));
    let timer = setTimeout(giveUp, connectTimeoutMs, 'connect');
    const abort = (): void => void asked.destroy(new Error('the client went away'));
    const removeListeners = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    asked.once('socket', (socket) =>
      socket.once('connect', () => {
        clearTimeout(timer);
        timer = setTimeout(giveUp, answerTimeoutMs, 'answer');
      }),
    );
    asked.once('upgrade', (response, socket, head) => {
      removeListeners();
      resolve({ response, upgraded: { socket: socket as Socket, head } });
    });
    asked.once('response', (response) => {
      removeListeners();
      resolve({ response });
    });
    asked.once('error', (error) => {
      removeListeners();
      reject(error);
    });
    signal.addEventListener('abort', abort, { once: true });
    asked.end();
  });

@Injectable()
export class Handshakes {
  constructor(
    private readonly replicas: UpstreamReplicas,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Asks the replicas of the dispatcher one after another. Returns the first response; that of a replica which is
   * stopping only if no other replica answers; undefined when none answered, or the client has left.
   */
  async requestUpgrade(
    path: string,
    headers: Record<string, string | string[]>,
    signal: AbortSignal,
  ): Promise<HandshakeResult | undefined> {
    let refusal: HandshakeResult | undefined;
    for (const replica of this.replicas.replicasOf('dispatcher').order()) {
      try {
        const result = await handshake(replica, path, headers, signal);
        refusal?.response.destroy();
        if (result.response.statusCode !== stoppingStatus) return result;
        refusal = result;
      } catch (err) {
        if (signal.aborted) {
          refusal?.response.destroy();
          return undefined;
        }
        if (failedToConnect(err)) replica.markUnreachable();
        this.logger.warn({ err, replica: replica.url.host }, 'a dispatcher replica did not answer a handshake');
      }
    }
    return refusal;
  }
}
