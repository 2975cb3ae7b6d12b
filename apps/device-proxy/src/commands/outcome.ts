/** How a command ended: status and token of its asynchronous response. */
export interface Outcome {
  outcome: 'succeeded' | 'failed' | 'expired';
  /** A more precise state for the history. */
  state?: 'cancelled';
  status: number;
  error?: string;
  /** Human-readable, for the history. */
  note?: string;
  payload?: Buffer;
  contentType?: string;
  maxAgeSeconds?: number;
  /** The caller already has the answer, which was sent with the first value. */
  isAnswered?: boolean;
}

const failed = (status: number, error: string, note?: string): Outcome => ({
  outcome: 'failed',
  status,
  error,
  ...(note !== undefined && { note }),
});

export const expired: Outcome = {
  outcome: 'expired',
  status: 429,
  error: 'REQUEST_EXPIRED',
  note: 'The device did not connect before the command expired.',
};

export const cancelled: Outcome = {
  ...failed(429, 'REQUEST_CANCELLED', 'The command was cancelled before it was sent to the device.'),
  state: 'cancelled',
};

export const deviceBlocked = failed(429, 'DEVICE_BLOCKED', 'The device is suspended.');
export const registrationRemoved = failed(429, 'DEVICE_REMOVED_REGISTRATION', 'The device was deleted.');
export const queueIsFull = failed(429, 'QUEUE_IS_FULL', 'Too many commands waited for the device.');
export const notConnected = failed(503, 'NOT_CONNECTED', 'The device rejected the request with a Reset.');
export const connectionFailed = failed(
  502,
  'CONNECTION_FAILED',
  'The connection to the device ended before the answer.',
);
export const timeout = failed(504, 'TIMEOUT', 'The device did not answer.');
export const subscriptionRemoved = failed(
  404,
  'SUBSCRIPTION_REMOVED',
  'The subscription was deleted before the device connected.',
);
export const notObservable = failed(412, 'NOT_OBSERVABLE', 'The device answered, but cannot observe this path.');

export const downloadEnded = failed(404, 'DOWNLOAD_ENDED', 'The campaign has ended the download of the package.');
export const pushTookTooLong = failed(504, 'PUSH_TIMEOUT', 'The device did not accept the whole package in time.');

/** The effect is unknown: the answer may have been lost, and a retry could apply the operation twice. */
export const inDoubt = failed(
  504,
  'TIMEOUT',
  'The device did not answer. It may have executed the command, which is not safe to repeat.',
);

export const notOffered = failed(
  400,
  'NOT_OFFERED',
  'The device registered with LwM2M 1.0, which has no composite operations.',
);

export const attributesNotOffered = failed(
  400,
  'NOT_OFFERED',
  'The device registered with LwM2M 1.0 or 1.1, in which a subscription has no attributes.',
);

export const notSendable = failed(
  413,
  'REQUEST_ENTITY_TOO_LARGE',
  'The message is too large for the connection of the device.',
);

/** A change that was sent more than once because an earlier answer was lost: the result says so. */
export const withRepetitionNote = (outcome: Outcome, attempts: number): Outcome =>
  outcome.outcome === 'succeeded' && outcome.note === undefined
    ? {
        ...outcome,
        note: `The device received the request up to ${attempts} times and may have executed it more than once.`,
      }
    : outcome;

/** A change that was sent and not answered, and is not sent again: the result says that it may have been executed. */
export const withUnansweredNote = (outcome: Outcome): Outcome => ({
  ...outcome,
  note: 'The command was sent to the device, and no answer was received: the device may have executed it.',
});

/** CoAP response codes (RFC 7252 §12.1.2) as status and word. The word is the error category of spec §3.2. */
const byCode: Record<string, [status: number, error: string]> = {
  '4.00': [400, 'BAD_REQUEST'],
  '4.01': [400, 'UNAUTHORIZED'],
  '4.02': [400, 'BAD_OPTION'],
  '4.03': [400, 'FORBIDDEN'],
  '4.04': [404, 'RESOURCE_NOT_FOUND'],
  '4.05': [400, 'METHOD_NOT_ALLOWED'],
  '4.06': [415, 'NOT_ACCEPTABLE'],
  '4.08': [400, 'REQUEST_ENTITY_INCOMPLETE'],
  '4.12': [412, 'PRECONDITION_FAILED'],
  '4.13': [413, 'REQUEST_ENTITY_TOO_LARGE'],
  '4.15': [415, 'UNSUPPORTED_CONTENT_FORMAT'],
  '5.00': [502, 'INTERNAL_SERVER_ERROR'],
  '5.01': [502, 'NOT_IMPLEMENTED'],
  '5.03': [502, 'SERVICE_UNAVAILABLE'],
};

export interface Answer {
  /** `2.05` */
  code: string;
  payload: Buffer;
  contentType?: string;
  maxAgeSeconds?: number;
}

export const outcomeOf = (answer: Answer): Outcome => {
  const { code, payload, contentType, maxAgeSeconds } = answer;
  if (code.startsWith('2.'))
    return {
      outcome: 'succeeded',
      status: 200,
      ...(payload.length > 0 && { payload, contentType }),
      ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
    };
  const [status, error] =
    byCode[code] ?? (code.startsWith('4.') ? [400, 'BAD_REQUEST'] : [502, 'INTERNAL_SERVER_ERROR']);
  return failed(status, error, `The device answered ${code}.`);
};
