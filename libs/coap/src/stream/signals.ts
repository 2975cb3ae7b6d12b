import { encodeFrame, type StreamMessage } from '../codec/stream-message.js';
import { isCritical } from '../codec/option-number.js';
import { decodeUint, encodeUint } from '../codec/uint.js';

const NOTHING = Buffer.alloc(0);
const MAX_MESSAGE_SIZE = 2;
const BLOCK_WISE_TRANSFER = 4;
const CUSTODY = 2;
const ALTERNATIVE_ADDRESS = 2;
const HOLD_OFF = 4;
const BAD_CSM_OPTION = 2;

/** Codes of class 7 (RFC 8323 §5). */
export const Signal = { Csm: 225, Ping: 226, Pong: 227, Release: 228, Abort: 229 } as const;

/** Option numbers that each signal supports. All of them are elective; an unknown critical one ends the connection. */
const KNOWN_OPTIONS = new Map<number, readonly number[]>([
  [Signal.Csm, [MAX_MESSAGE_SIZE, BLOCK_WISE_TRANSFER]],
  [Signal.Ping, [CUSTODY]],
  [Signal.Pong, [CUSTODY]],
  [Signal.Release, [ALTERNATIVE_ADDRESS, HOLD_OFF]],
  [Signal.Abort, [BAD_CSM_OPTION]],
]);

/** What a peer said it can accept. */
export interface Capabilities {
  /** Largest message in bytes, its frame included. */
  messageBytesMax: number;
  blockWise: boolean;
}

/** Default until the first CSM (RFC 8323 §5.3.1). */
export const BASE_CAPABILITIES: Capabilities = { messageBytesMax: 1_152, blockWise: false };

/** The number of an unknown critical option, which makes the signal unusable (RFC 8323 §5.2). */
export function unknownCriticalOption({ code, options }: StreamMessage): number | undefined {
  const known = KNOWN_OPTIONS.get(code) ?? [];
  return options.find(({ number }) => isCritical(number) && !known.includes(number))?.number;
}

/** What the peer can accept after this CSM: a capability that the CSM does not repeat stays as it was. */
export function readCsm({ options }: StreamMessage, before: Capabilities): Capabilities {
  const after = { ...before };
  for (const { number, value } of options) {
    if (number === MAX_MESSAGE_SIZE && value.length <= 4) after.messageBytesMax = decodeUint(value);
    if (number === BLOCK_WISE_TRANSFER) after.blockWise = true;
  }
  return after;
}

export function csm(messageBytesMax: number): Buffer {
  const options = [
    { number: MAX_MESSAGE_SIZE, value: encodeUint(messageBytesMax) },
    { number: BLOCK_WISE_TRANSFER, value: NOTHING },
  ];
  return encodeFrame({ code: Signal.Csm, token: NOTHING, options, payload: NOTHING });
}

export function ping(token: Buffer): Buffer {
  return encodeFrame({ code: Signal.Ping, token, options: [], payload: NOTHING });
}

/** Has the token of the Ping. Custody would promise that earlier messages were handled, so it is never sent. */
export function pong(token: Buffer): Buffer {
  return encodeFrame({ code: Signal.Pong, token, options: [], payload: NOTHING });
}

/** The connection will end gracefully: pending requests are still answered. */
export function release(): Buffer {
  return encodeFrame({ code: Signal.Release, token: NOTHING, options: [], payload: NOTHING });
}

/** The connection ends immediately. */
export function abort(diagnostic: string, badCsmOption?: number): Buffer {
  const options = badCsmOption === undefined ? [] : [{ number: BAD_CSM_OPTION, value: encodeUint(badCsmOption) }];
  return encodeFrame({ code: Signal.Abort, token: NOTHING, options, payload: Buffer.from(diagnostic) });
}
