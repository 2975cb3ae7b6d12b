import { Code } from '@lanyard/coap';

const packagePaths = ['5/0/0', '9/0/2'];

/** A write of a package: devices take it block by block, and keep none of it. */
export const isPackage = (method: number, path: readonly string[]): boolean =>
  method === Code.PUT && path.length === 3 && packagePaths.includes(path.join('/'));
