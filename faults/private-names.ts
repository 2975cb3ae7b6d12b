/** Loaded into a replica before its own code: names under `.example` resolve to the address in a file, or to nothing. */
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';

const file = process.env.PRIVATE_NAMES_FILE ?? '';

const failed = (code: string, name: string) =>
  Promise.reject(Object.assign(new Error(`query ${code} ${name}`), { code }));

if (file) {
  const { resolve4, resolve6 } = Resolver.prototype;
  const replacements = {
    resolve4(this: Resolver, name: string) {
      if (!name.endsWith('.example')) return Reflect.apply(resolve4, this, [name]);
      const address = readFileSync(file, 'utf8').trim();
      return address ? Promise.resolve([address]) : failed('ENOTFOUND', name);
    },
    resolve6(this: Resolver, name: string) {
      return name.endsWith('.example') ? failed('ENODATA', name) : Reflect.apply(resolve6, this, [name]);
    },
  };
  Object.assign(Resolver.prototype, replacements);
}
