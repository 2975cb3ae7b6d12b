import { Code } from '@lanyard/coap';

/** A write of a firmware package: devices take it block by block, and keep none of it. */
export const isPackage = (method: number, path: readonly string[]): boolean =>
  method === Code.PUT && path.length === 3 && path[0] === '5' && path[1] === '0' && path[2] === '0';
