import type { CoapDatagramEndpoint, UnmatchedNotification } from '@lanyard/coap';
import type { CoapLink } from './coap-link.js';

/**
 * The observation may belong to another replica, or date from before a restart. This replica then adopts the observation with
 * its position, and this notification may turn out to be older than that.
 */
export const offerUnmatched = async (
  endpoint: CoapDatagramEndpoint,
  link: CoapLink,
  notification: UnmatchedNotification,
): Promise<'accepted' | 'rejected' | 'restored'> => {
  const { peer, token, partial } = notification;
  if (!(await link.offer({ ...notification, partial: true }))) return 'rejected';
  if (partial || endpoint.observes(peer, token)) return 'restored';
  // Without an observation at the endpoint, notifications are ordered by arrival only.
  return (await link.offer(notification)) ? 'accepted' : 'rejected';
};
