import type { IncomingHttpHeaders } from 'node:http';
import { type ApiKey, parseApiKey } from '@lanyard/service';

const bearer = /^bearer +(\S+) *$/i;
const protocolEntry = /^(?:service|pelion)_(\S+)$/;

const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined => bearer.exec(authorization ?? '')?.[1];

/** The API key in the Authorization header, and nowhere else (spec §5). */
export const keyOfRequest = (headers: IncomingHttpHeaders): ApiKey | undefined => parseApiKey(bearerOf(headers) ?? '');

/** The same, or an entry of Sec-WebSocket-Protocol, in any place (spec §4.5, §5 rule 9). */
export const keyOfHandshake = (headers: IncomingHttpHeaders): ApiKey | undefined => {
  const entries = (headers['sec-websocket-protocol'] ?? '').split(',');
  const inEntry = entries.map((entry) => protocolEntry.exec(entry.trim())?.[1]).find((text) => text !== undefined);
  return parseApiKey(bearerOf(headers) ?? inEntry ?? '');
};
