import type { CoapDatagramEndpoint, UnmatchedNotification } from '@lanyard/coap';
import type { CoapLink } from './coap-link.js';

/**
 * The observation may be another replica's, or from before a restart. This replica then adopts it with its position, and
 * this notification may turn out to be an old one.
 */
export const offerUnmatched = async (
  endpoint: CoapDatagramEndpoint,
  link: CoapLink,
  notification: UnmatchedNotification,
): Promise<'accepted' | 'rejected' | 'restored'> => {
  const { peer, token, partial } = notification;
  if (!(await link.offer({ ...notification, partial: true }))) return 'rejected';
  if (partial || endpoint.observes(peer, token)) return 'restored';
  // The only order is that of arrival.
  return (await link.offer(notification)) ? 'accepted' : 'rejected';
};
