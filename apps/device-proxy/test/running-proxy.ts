import type { RunningService } from '@lanyard/service';
import { Listeners } from '../src/listeners/listeners.js';

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
