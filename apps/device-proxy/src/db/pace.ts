/**
 * How long a registration or an update may be held, at each step, for others to come along: at 1,000 a second ten share a
 * round trip instead of one or two. Only when there was another one less than this before; a device does not feel it.
 */
export const paceMs = 10;
