/**
 * How long a step of a registration or update may be delayed to fill a batch: at 1,000 a second, ten share a round trip
 * instead of one or two. It applies only when the previous batch began less than this ago.
 */
export const paceMs = 10;
