/** The entry of Sec-WebSocket-Protocol that is selected in the answer: never the one that contains the key. */
export const selectedProtocol = (offered: ReadonlySet<string>): string | false => (offered.has('wss') ? 'wss' : false);
