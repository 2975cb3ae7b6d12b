/**
 * Paths of one device to which applications may be subscribed. A path counts once for each set of attributes and for each
 * composite observation that has it, because each of them is observed by itself.
 */
export const subscribedPathsMax = 1_000;
