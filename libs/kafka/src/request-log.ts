import { headerNames } from '@lanyard/contracts';
import type { Logger } from '@lanyard/service';

interface Passing {
  key: string | null;
  headers: { get(name: string): string | undefined };
}

/** One line for each message that a request caused, where `debug` is logged; costs nothing elsewhere. */
export const logRequests = (logger: Logger, topic: string, what: string, messages: Iterable<Passing>): void => {
  if (!logger.isLevelEnabled('debug')) return;
  for (const { key, headers } of messages) {
    const requestId = headers.get(headerNames.requestId);
    if (requestId !== undefined) logger.debug({ requestId, topic, messageKey: key }, what);
  }
};
