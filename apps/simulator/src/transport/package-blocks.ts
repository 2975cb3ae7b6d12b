import { Code } from '@lanyard/coap';

const packagePath = /^(5\/0\/0|9\/\d+\/2)$/;

/** A write of a package: devices take it block by block, and keep none of it. */
export const isPackage = (method: number, path: readonly string[]): boolean =>
  method === Code.PUT && path.length === 3 && packagePath.test(path.join('/'));
