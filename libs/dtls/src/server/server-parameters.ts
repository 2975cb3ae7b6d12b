import { CIPHER_SUITES, type CipherSuite, cipherSuite } from '../crypto/suites.js';
import { type ServerParameters } from '../handshake/server-handshake.js';
import { SessionCache } from '../handshake/session-cache.js';
import { type DtlsLimits } from '../limits.js';
import { type DtlsClock } from '../timing/clock.js';
import { type DtlsServerOptions } from './options.js';

/** A client that offers PSK has a key. A client that also offers ECDHE, as many TLS libraries do, may have no certificate. */
const pskFirst = (a: CipherSuite, b: CipherSuite): number =>
  Number(b.keyExchange === 'psk') - Number(a.keyExchange === 'psk');

/**
 * The options that all handshakes share; callbacks are set for each.
 * @throws RangeError for a suite that does not exist here or lacks its credential
 */
export function serverParameters(options: DtlsServerOptions, limits: DtlsLimits, clock: DtlsClock): ServerParameters {
  const { keyOf, certificate, authenticate, suites } = options;
  const isPossible = ({ keyExchange }: CipherSuite) => (keyExchange === 'psk' ? keyOf : certificate) !== undefined;
  const selected = suites?.map((id) => {
    const suite = cipherSuite(id);
    if (suite === undefined || !isPossible(suite)) throw new RangeError(`Cipher suite ${id} cannot be used`);
    return suite;
  });
  return {
    suites: selected ?? CIPHER_SUITES.filter(isPossible).sort(pskFirst),
    hasChain: (certificate?.chain.length ?? 0) > 0,
    requestsClientCertificate: authenticate !== undefined,
    recordSizeLimit: limits.recordSizeLimit,
    certificate,
    sessions: new SessionCache(clock, limits),
  };
}
