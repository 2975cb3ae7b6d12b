/** Why the service closes a socket, and the code that the client gets (spec §7). 1000 and 1006 are never sent by the service. */
export const closeCodes = {
  'channel deleted': 1001,
  'newer socket': 1001,
  'ping not answered': 1001,
  inactivity: 1001,
  'invalid key': 1008,
  'key revoked': 1008,
  'no channel': 1011,
  restart: 1012,
} as const;

export type CloseCause = keyof typeof closeCodes;
