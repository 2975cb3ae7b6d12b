import { headerNames } from '@lanyard/contracts';
import type { Logger } from '@lanyard/service';

interface LoggedMessage {
  key: string | null;
  headers: { get(name: string): string | undefined };
}

/**
 * Logs one line with the text `what` for each message that a REST request caused, if the level `debug` is on; otherwise
 * costs nothing.
 */
export const logRequests = (logger: Logger, topic: string, what: string, messages: Iterable<LoggedMessage>): void => {
  if (!logger.isLevelEnabled('debug')) return;
  for (const { key, headers } of messages) {
    const requestId = headers.get(headerNames.requestId);
    if (requestId !== undefined) logger.debug({ requestId, topic, messageKey: key }, what);
  }
};
