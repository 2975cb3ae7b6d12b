import { base64Of, digestOf, payloadOf, randomId, textOf } from './bytes.js';
import { CommandFailed, CommandPending } from './errors.js';
import type { AsyncResponse, DeviceCommand } from './generated/api.js';
import type { Http } from './http.js';
import { retrying } from './retry.js';
import { sleep } from './sleep.js';

export interface Command {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'FETCH' | 'IPATCH';
  /** For example `/3/0/0`; write attributes are its query. */
  uri: string;
  /** Text, or bytes. */
  payload?: string | Uint8Array;
  /** Media type of the payload; text/plain for text. */
  contentType?: string;
  /** Media type requested. */
  accept?: string;
}

export interface CommandOptions {
  /**
   * Echoed in the result; can also be used to find the newest command with this id. Default: one that follows from
   * `idempotencyKey`, or without that a generated one.
   */
  asyncId?: string;
  /** Calls with the same key within 24 hours send the command once. Default: a new key per call. */
  idempotencyKey?: string;
  /** Attempts to reach the device after the first. */
  retry?: number;
  /** How long the command may wait for its device. */
  expirySeconds?: number;
  /**
   * How long to wait for the result, retries included; default 60 s. The command itself continues after that. A request
   * that is in flight at that time may take about 10 s more.
   */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface CommandResult {
  asyncId: string;
  status: number;
  payload: Uint8Array;
  contentType: string | undefined;
  /** The payload as text. */
  text: string;
}

const defaultTimeoutMs = 60_000;
/** The longest time for which the service holds a call open. */
const longestWaitSeconds = 60;
/** Added to the time that the service may take, for the round trip. */
const slackMs = 10_000;
const pollMs = 500;

/** An async-id that the service accepts. */
const asyncIdForm = /^[\w-]{1,40}$/;

/**
 * The async-id is a part of the request: with another one, the service refuses an Idempotency-Key that it knows. So
 * calls with the same key have the same id.
 */
const asyncIdOf = async ({ asyncId, idempotencyKey: key }: CommandOptions): Promise<string> => {
  if (asyncId !== undefined) return asyncId;
  if (key === undefined) return randomId();
  return asyncIdForm.test(key) ? key : digestOf(key);
};

const encoded = ({ payload }: Command): string | undefined =>
  payload === undefined
    ? undefined
    : base64Of(typeof payload === 'string' ? new TextEncoder().encode(payload) : payload);

const bodyOf = (command: Command): object => ({
  method: command.method,
  uri: command.uri,
  accept: command.accept,
  'content-type': command.contentType ?? (typeof command.payload === 'string' ? 'text/plain' : undefined),
  'payload-b64': encoded(command),
});

interface Answer {
  status: number;
  /** Base64. */
  payload: string;
  contentType?: string | undefined;
  error?: string | undefined;
}

const resultOf = (asyncId: string, { status, payload: base64, contentType, error }: Answer): CommandResult => {
  if (status >= 300) throw new CommandFailed(asyncId, status, error);
  const payload = payloadOf(base64);
  return { asyncId, status, payload, contentType, text: textOf(payload) };
};

const ended = ({
  async_id: id,
  status,
  payload,
  content_type: type,
  error,
}: DeviceCommand): CommandResult | undefined =>
  status === null
    ? undefined
    : resultOf(id, { status, payload: payload ?? '', contentType: type ?? undefined, error: error ?? undefined });

/** Commands to devices, and their results. The channel of the key, if any, receives the result as well. */
export class Commands {
  constructor(private readonly http: Http) {}

  /** Sends a command and waits for its result. Throws CommandFailed, CommandPending, RequestFailed. */
  async run(deviceId: string, command: Command, options: CommandOptions = {}): Promise<CommandResult> {
    const { timeoutMs = defaultTimeoutMs, signal, idempotencyKey = randomId() } = options;
    const endMs = Date.now() + timeoutMs;
    const asyncId = await asyncIdOf(options);
    const answer = await this.within(endMs, signal, (leftMs) => {
      const wait = Math.min(longestWaitSeconds, Math.max(1, Math.ceil(leftMs / 1_000)));
      return this.post(deviceId, command, asyncId, { ...options, idempotencyKey, wait });
    });
    if (answer) return resultOf(asyncId, { ...answer, contentType: answer.ct });
    const leftMs = endMs - Date.now();
    if (leftMs <= 0) throw new CommandPending(asyncId);
    return this.result(asyncId, { timeoutMs: leftMs, ...(signal && { signal }) });
  }

  /** Sends a command and returns its async-id as soon as it is in the queue of the device. */
  async send(deviceId: string, command: Command, options: CommandOptions = {}): Promise<string> {
    const asyncId = await asyncIdOf(options);
    await this.post(deviceId, command, asyncId, options);
    return asyncId;
  }

  /** Waits for the result of a command that was sent before. */
  async result(
    asyncId: string,
    { timeoutMs = defaultTimeoutMs, signal }: Pick<CommandOptions, 'timeoutMs' | 'signal'> = {},
  ): Promise<CommandResult> {
    const endMs = Date.now() + timeoutMs;
    for (;;) {
      const record = await this.within(endMs, signal, (leftMs) => this.record(asyncId, leftMs, signal));
      const result = ended(record);
      if (result) return result;
      if (Date.now() >= endMs) throw new CommandPending(asyncId);
      await sleep(pollMs, signal);
    }
  }

  /**
   * Retries until `endMs`, because the caller waits that long: the service may be away for more than a few retries. `attempt` is
   * given the time that is left.
   */
  private within<T>(
    endMs: number,
    signal: AbortSignal | undefined,
    attempt: (leftMs: number) => Promise<T>,
  ): Promise<T> {
    const options = { retries: Infinity, repeatable: true, endMs, ...(signal && { signal }) };
    return retrying(() => attempt(endMs - Date.now()), options);
  }

  private async record(asyncId: string, leftMs: number, signal: AbortSignal | undefined): Promise<DeviceCommand> {
    const timeoutMs = Math.min(this.http.options.timeoutMs, Math.max(0, leftMs) + slackMs);
    const options = { retries: 0, timeoutMs, ...(signal && { signal }) };
    return (await this.http.send('GET /v3/device-requests/{asyncId}', { path: { asyncId } }, options)) as DeviceCommand;
  }

  /** With `wait`, it makes no retries of its own. */
  private async post(
    deviceId: string,
    command: Command,
    asyncId: string,
    { retry, expirySeconds, idempotencyKey, wait, signal }: CommandOptions & { wait?: number },
  ): Promise<AsyncResponse | undefined> {
    const query = { 'async-id': asyncId, retry, 'expiry-seconds': expirySeconds, wait };
    return (await this.http.send(
      'POST /v2/device-requests/{deviceId}',
      { path: { deviceId }, query, header: { 'Idempotency-Key': idempotencyKey }, body: bodyOf(command) },
      { ...(signal && { signal }), ...(wait !== undefined && { retries: 0, timeoutMs: wait * 1_000 + slackMs }) },
    )) as AsyncResponse | undefined;
  }
}
