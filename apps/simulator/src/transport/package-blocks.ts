import { Code } from '@lanyard/coap';

const packagePath = /^(5\/0\/0|9\/\d+\/2)$/;

/** Whether a request writes a package: devices take packages block by block, and keep no block. */
export const isPackage = (method: number, path: readonly string[]): boolean =>
  method === Code.PUT && path.length === 3 && packagePath.test(path.join('/'));
