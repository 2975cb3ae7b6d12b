import { isIPv6 } from 'node:net';
import { platform } from 'node:os';

/**
 * The server limits strangers by source address, and an address has some 28,000 ports that the system gives out: on
 * the loopback network of Linux, where every 127.x.y.z is an address of this machine, so many devices share one.
 */
const devicesPerAddress = 100;

/** Where the socket of a device is bound. The server tells devices apart by address and port: each has its own. */
export const localAddress = (server: string, device: number, system: NodeJS.Platform = platform()): string => {
  if (isIPv6(server)) return '::';
  if (!server.startsWith('127.') || system !== 'linux') return '0.0.0.0';
  const block = Math.floor(device / devicesPerAddress);
  return `127.${16 + (block >> 16)}.${(block >> 8) & 255}.${block & 255}`;
};
