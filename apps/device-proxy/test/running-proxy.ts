import { type Clock, CLOCK, type Logger, LOGGER, type RunningService } from '@lanyard/service';
import { withProviders } from '@lanyard/testing';
import type { DtlsConfig, TlsConfig } from '../src/config.js';
import { Listeners } from '../src/listeners/listeners.js';

export const tlsLimits = { connectionsMax: 100, connectionsPerAddressMax: 50, idleMs: 60_000 };
export const dtlsLimits = {
  connectionsMax: 100,
  connectionsPerAddressMax: 50,
  handshakesMax: 200,
  handshakesPerAddressMax: 100,
  handshakesPerAddressPerSecond: 500,
  idleMs: 60_000,
};

/** What differs between the replicas of a test. */
export interface ProxyOptions {
  coapPort?: number;
  clock?: Clock;
  logger?: Logger;
  dtls?: Partial<DtlsConfig>;
  tls?: Partial<TlsConfig>;
  tcp?: boolean;
  campaignsUrls?: string[];
  pushMaxMs?: number;
  accountId?: string;
  expiryGraceMs?: number;
}

export interface RunningProxy extends RunningService {
  /** UDP port of the CoAP listener; 0 when it is off. */
  coapPort: number;
  /** UDP port of the listener for DTLS; 0 when it is off. */
  dtlsPort: number;
  /** TCP ports of the listeners for TLS and plain TCP; 0 when they are off. */
  tlsPort: number;
  tcpPort: number;
}

/** The ports that its listeners have bound. */
export const withPorts = (service: RunningService): RunningProxy => {
  const listeners = service.app.get(Listeners, { strict: false });
  return {
    ...service,
    coapPort: listeners.portOf('coap'),
    dtlsPort: listeners.portOf('coaps'),
    tlsPort: listeners.portOf('coaps+tcp'),
    tcpPort: listeners.portOf('coap+tcp'),
  };
};

/** The application with a clock or a logger of the test. */
export const replacing = ({ clock, logger }: Pick<ProxyOptions, 'clock' | 'logger'>) => {
  if (!clock && !logger) return undefined;
  return withProviders(...(clock ? [[CLOCK, clock] as const] : []), ...(logger ? [[LOGGER, logger] as const] : []));
};
