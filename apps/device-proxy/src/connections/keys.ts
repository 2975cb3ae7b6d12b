/** Redis keys of DTLS connections; like those of sessions, they live in one Redis or one hash slot. */
export const connectionKeys = (prefix: string) => ({
  /** Hash: `state` (sealed), `epoch`, `owner`. */
  connection: (id: string) => `${prefix}dtls:${id}`,
  /** Hash: slot -> `<lease until ms> <token of the process> <address of the peer port or -> <replica id>`. */
  slots: `${prefix}dtls-slots`,
});
