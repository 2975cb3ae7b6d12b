/** A replica holds its slot for this long after a renewal: longer than any pause that the stall detector does not notice. */
export const slotLeaseMs = 12_000;
export const slotRenewalMs = 2_000;

/** Connection ids: two bytes name the slot of the replica that made it, the rest is random. */
export const slotBytes = 2;
export const connectionIdBytes = 8;

/** Connections per script, which blocks Redis while it runs. */
export const scriptMax = 100;
