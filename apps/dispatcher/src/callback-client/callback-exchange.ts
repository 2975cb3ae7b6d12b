import type { Dispatcher } from 'undici';
import { callbackResponseBytesMax } from '../limits.js';
import { AddressForbidden } from './address-guard.js';

export type SendOutcome = { ok: true } | SendRefused;
export type SendRefused = { ok: false; cause: 'status'; status: number } | { ok: false; cause: NoAnswer };
export type SendFailure = 'status' | NoAnswer;
type NoAnswer =
  'timeout' | 'unreachable' | 'forbidden' | 'untrusted' | 'other name' | 'out of date' | 'aborted' | 'withdrawn';

/** One text for both causes: otherwise customers could learn which names exist in the internal network. */
const notReachable = 'not reachable, or its address is not publicly reachable';

const reasons: Record<NoAnswer, string> = {
  timeout: 'no answer within 20 s',
  unreachable: notReachable,
  forbidden: notReachable,
  untrusted: 'its certificate is not trusted',
  'other name': 'its certificate is for another name',
  'out of date': 'its certificate has expired, or is not valid yet',
  aborted: notReachable,
  withdrawn: notReachable,
};

/** The reason of the failure, as the owner of the URL reads it. */
export const failureReasonOf = (sent: SendRefused): string =>
  sent.cause === 'status' ? `status ${sent.status}` : reasons[sent.cause];

/** This replica may not send to the channel any more. */
export class SendPermitWithdrawn extends Error {}

const isAccepted = (status: number): boolean => status === 200 || status === 204;

const codeOf = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: { code?: string } };
  return code ?? cause?.code ?? '';
};

/** What Node and OpenSSL say of a certificate that they refuse (spec §5 rule 10: name and chain are checked). */
const certificateFailure = (code: string): NoAnswer | undefined => {
  if (/ALTNAME_INVALID$/.test(code)) return 'other name';
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) return 'out of date';
  return /CERT|LEAF_SIGNATURE|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/.test(code) ? 'untrusted' : undefined;
};

const causeOf = (error: unknown): NoAnswer => {
  if (error instanceof AddressForbidden || codeOf(error) === 'ADDRESS_FORBIDDEN') return 'forbidden';
  if (error instanceof SendPermitWithdrawn) return 'withdrawn';
  return certificateFailure(codeOf(error)) ?? 'unreachable';
};

/**
 * One request and its answer, of which only the status counts. The answer is read to its end, so that the connection can be
 * used again, unless it is larger than `callbackResponseBytesMax`.
 */
export class CallbackExchange implements Dispatcher.DispatchHandler {
  /** Never rejects. */
  readonly outcome: Promise<SendOutcome>;
  private resolveOutcome!: (outcome: SendOutcome) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private ended: Error | undefined;
  private status = 0;
  private bytes = 0;

  /** `mayStart`: asked at the moment when the request is written. */
  constructor(private readonly mayStart: () => boolean) {
    this.outcome = new Promise((resolveOutcome) => (this.resolveOutcome = resolveOutcome));
  }

  /** Whether something may have been written. If not, the request still waits for a connection, or there is none. */
  get hasStarted(): boolean {
    return this.controller !== undefined;
  }

  /** Ends the exchange: nothing more is written or waited for. */
  endWith(cause: NoAnswer): void {
    this.stop({ ok: false, cause }, new Error(cause));
  }

  /** The request could not be started. */
  fail(error: unknown): void {
    this.resolveOutcome({ ok: false, cause: causeOf(error) });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) controller.abort(this.ended);
    else if (!this.mayStart()) controller.abort(new SendPermitWithdrawn());
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    // Informational answers come before the real one.
    if (status >= 200) this.status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > callbackResponseBytesMax) this.stop(this.outcomeOfStatus(), new Error('The answer is too large'));
  }

  onResponseEnd(): void {
    this.resolveOutcome(this.outcomeOfStatus());
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  private stop(outcome: SendOutcome, why: Error): void {
    this.resolveOutcome(outcome);
    this.ended ??= why;
    this.controller?.abort(why);
  }

  private outcomeOfStatus(): SendOutcome {
    return isAccepted(this.status) ? { ok: true } : { ok: false, cause: 'status', status: this.status };
  }
}
