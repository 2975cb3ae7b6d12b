const bearer = /^bearer +(\S+)$/i;
const protocolEntry = /^(?:service|pelion)_(\S+)$/;

/** The text of the key in an Authorization header (spec §5). */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  bearer.exec(authorization?.trim() ?? '')?.[1];

/** The key of a WebSocket: bearer token, or an entry of Sec-WebSocket-Protocol, in any place (spec §4.5, §5 rule 9). */
export const keyTextOfSocket = (authorization: string | undefined, protocols = ''): string | undefined =>
  bearerOf(authorization) ??
  protocols
    .split(',')
    .map((entry) => protocolEntry.exec(entry.trim())?.[1])
    .find((text) => text !== undefined);
