import { isIPv6 } from 'node:net';
import { platform } from 'node:os';

/**
 * The server limits unknown peers by source address, and an address has some 28,000 ephemeral ports. On the
 * loopback network of Linux, where every 127.x.y.z is an address of this machine, this many devices share an address.
 */
const devicesPerAddress = 100;

/** The address of a device's socket. The server distinguishes devices by address and port. */
export const localAddress = (server: string, device: number, system: NodeJS.Platform = platform()): string => {
  if (isIPv6(server)) return '::';
  if (!server.startsWith('127.') || system !== 'linux') return '0.0.0.0';
  const block = Math.floor(device / devicesPerAddress);
  return `127.${16 + (block >> 16)}.${(block >> 8) & 255}.${block & 255}`;
};
