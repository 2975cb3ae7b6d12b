const bearer = /^bearer +(\S+)$/i;
const keyEntry = /^(?:service|pelion)_(\S+)$/;

const entriesOf = (protocols: string | undefined): string[] =>
  (protocols ?? '').split(',').map((entry) => entry.trim());

/** The key of a connect: bearer token, or an entry of Sec-WebSocket-Protocol, in any place (spec §4.5, §5 rule 9). */
export const keyTextOf = (authorization: string | undefined, protocols?: string): string | undefined =>
  bearer.exec(authorization?.trim() ?? '')?.[1] ??
  entriesOf(protocols)
    .map((entry) => keyEntry.exec(entry)?.[1])
    .find((text) => text !== undefined);

/** Never the entry that holds the key. */
export const selectedProtocol = (offered: ReadonlySet<string>): string | false => (offered.has('wss') ? 'wss' : false);
