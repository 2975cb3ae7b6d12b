import { lookup } from 'node:dns/promises';

/**
 * The literal address of a server. `localhost` may have one of each kind, and a datagram to the one at which nothing listens
 * is lost without an error. IPv4 comes first, because `npm start` listens at 127.0.0.1.
 */
export const addressOf = async (host: string): Promise<string> => (await lookup(host, { order: 'ipv4first' })).address;
