import type { CoapDatagramEndpoint, UnmatchedNotification } from '@lanyard/coap';
import type { CoapLink } from './coap-link.js';

/**
 * Handles a notification whose observation is not known at the endpoint: it may belong to another replica, or date from
 * before a restart. The notification is first offered without its value (`partial`), so that this replica adopts the
 * observation with its position. The endpoint then takes the notification ('restored'), which may turn out to be older
 * than that position.
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
