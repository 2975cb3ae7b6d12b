/** What is answered to the entries of Sec-WebSocket-Protocol: never the one that holds the key. */
export const selectedProtocol = (offered: ReadonlySet<string>): string | false => (offered.has('wss') ? 'wss' : false);
