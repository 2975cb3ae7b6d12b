/** Loaded into a replica before its own code: names under `.example` lead to the address in a file, or to nothing. */
import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env.PRIVATE_NAMES_FILE ?? '';

if (file) {
  const lookup = /** @type {(...all: any[]) => void} */ (dns.lookup);
  /** @param {any[]} all */
  const privately = (...all) => {
    const [hostname, options] = all;
    if (!String(hostname).endsWith('.example')) return lookup(...all);
    const callback = all.at(-1);
    const address = readFileSync(file, 'utf8').trim();
    if (!address) return callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }));
    if (options?.all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
  Object.assign(dns, { lookup: privately });
  syncBuiltinESMExports();
}
