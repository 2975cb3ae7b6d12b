import { readFileSync } from 'node:fs';
import type { ServiceParts } from '@lanyard/service';
import type { DeviceProxyConfig } from './config.js';
import { CredentialBook } from './credentials/credential-book.js';
import { Refusals } from './credentials/refusals.js';
import { TlsDoor } from './credentials/tls-door.js';
import type { Engines } from './engines.js';
import { isSuspended } from './suspension/account-suspensions.js';
import { CoapStream } from './transport/coap-stream.js';
import { CoapUdp } from './transport/coap-udp.js';
import { openDoor } from './transport/stream-door.js';
import type { Transport } from './transport/transport.js';
import { Turnstile } from './transport/turnstile.js';

export interface Transports {
  all: Transport[];
  streams: CoapStream[];
  refusals: Refusals;
  /** With TLS only. */
  book?: CredentialBook;
}

/** The listeners that the configuration asks for. Nothing is started here. */
export const openTransports = (config: DeviceProxyConfig, parts: ServiceParts, engines: Engines): Transports => {
  const { clock, logger, metrics } = parts;
  const refusals = new Refusals(engines.producer, clock, logger, metrics);
  const events = metrics.counter({
    name: 'lanyard_device_proxy_stream_events_total',
    help: 'What happened to connections and messages of devices over TCP and TLS',
    labelNames: ['event', 'scheme'],
  });
  const turnstile = new Turnstile(config.requestsUnderWayMax, metrics);
  const udp = config.coap && new CoapUdp(config.coap, turnstile, logger, metrics);
  const shared = {
    turnstile,
    logger,
    events,
    isSuspended: (accountId: string) => isSuspended(engines.accounts, accountId),
  };
  const streams: CoapStream[] = [];
  const book = config.tls && new CredentialBook(engines.credentials, config.secrets.encryptionKey);
  if (config.tls && book) {
    const { host, port, certificateFile, privateKeyFile, limits } = config.tls;
    const door = new TlsDoor({ book, refusals, clock, logger });
    const certified =
      certificateFile === undefined || privateKeyFile === undefined
        ? {}
        : { certificate: readFileSync(certificateFile, 'utf8'), privateKey: readFileSync(privateKeyFile, 'utf8') };
    streams.push(new CoapStream({ scheme: 'coaps+tcp', host, port, limits, certified, door, ...shared }));
  }
  if (config.tcp) {
    const { host, port, accountId } = config.tcp;
    const door = openDoor(accountId);
    streams.push(new CoapStream({ scheme: 'coap+tcp', host, port, limits: {}, certified: {}, door, ...shared }));
  }
  return { all: [...(udp ? [udp] : []), ...streams], streams, refusals, ...(book && { book }) };
};
