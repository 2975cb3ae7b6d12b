/**
 * Paths of one device to which applications may be subscribed. A path counts once for each set of attributes and once for each
 * composite observation that contains it, because each of these is a separate observation.
 */
export const subscribedPathsMax = 1_000;
