import { RequestAbandoned } from '../errors.js';
import { type ResponseMessage, PendingRequest } from '../peer/pending-request.js';
import { type ClientState } from '../peer/client-state.js';
import { type Observed } from '../peer/observation-entry.js';
import { type RequestMessage } from './request-sender.js';

/**
 * Sends one request message and waits for its response. The caller holds the turn of the peer's queue.
 * @param signal ends the wait with RequestAbandoned
 * @throws (as a rejection) what `send` throws, or what the request is finished with
 */
export function roundTrip<Response extends ResponseMessage>(
  to: ClientState<Observed, Response>,
  out: RequestMessage<Response>,
  send: (pending: PendingRequest<Response>) => void,
  signal?: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (to.gone !== undefined) throw to.gone;
    if (signal?.aborted) throw new RequestAbandoned();
    const abandon = (): void => pending.finish(new RequestAbandoned());
    const pending = new PendingRequest<Response>(out.token, out.intent, (outcome) => {
      to.endRequest(pending);
      signal?.removeEventListener('abort', abandon);
      if (outcome instanceof Error) {
        reject(outcome);
        return;
      }
      out.onResponse?.(outcome);
      resolve(outcome);
    });
    to.beginRequest(pending);
    signal?.addEventListener('abort', abandon);
    try {
      send(pending);
    } catch (error) {
      pending.finish(error as Error);
    }
  });
}
