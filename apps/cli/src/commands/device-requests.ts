import type { Command as DeviceRequest, CommandResult } from '@lanyard/client';
import { CommandFailed, textOf } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli, Session } from '../cli.js';
import { UsageError } from '../errors.js';
import { findDevice } from '../names/devices.js';
import { resourcePath } from '../names/paths.js';
import { printable } from '../output/safe-text.js';
import { contentOf, wholeNumber } from './values.js';

export interface RequestOptions {
  timeout: number;
  wait: boolean;
  expiry?: number;
  retry?: number;
}

/** The service refuses more. */
const retryMax = 10;
const expirySecondsMax = 2_592_000;

/** Options of all commands that a device carries out. */
const withRequestOptions = (command: Command): Command =>
  command
    .option('--timeout <seconds>', 'how long to wait for the result; the command itself continues', wholeNumber(1), 60)
    .option('--no-wait', 'print the id of the command instead of waiting for its result')
    .option('--expiry <seconds>', 'how long the command may wait for the device', wholeNumber(1, expirySecondsMax))
    .option('--retry <n>', 'further attempts to reach the device', wholeNumber(0, retryMax));

const isText = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** Text is printed as a line. Other bytes reach a pipe or a file unchanged, even if they happen to be text. */
const printed = ({ payload, contentType }: CommandResult): string | Uint8Array => {
  const isSentAsText = contentType === undefined ? isText(payload) : /^text\/|json/.test(contentType);
  if (!process.stdout.isTTY) return isSentAsText ? textOf(payload) : payload;
  return isSentAsText || isText(payload) ? printable(textOf(payload)) : Buffer.from(payload).toString('hex');
};

/** Prints the payload of a result; `done`: the note that is printed if it has none. */
export const showResult = async ({ out }: Session, result: CommandResult, done: string): Promise<void> => {
  const { asyncId, status, payload, contentType, text } = result;
  if (out.options.json) {
    const value = isText(payload) ? { text } : {};
    const base64 = Buffer.from(payload).toString('base64');
    return out.json({ async_id: asyncId, status, content_type: contentType ?? null, payload: base64, ...value });
  }
  if (payload.length === 0) return out.note(done);
  const content = printed(result);
  return typeof content === 'string' ? out.line(content) : out.raw(content);
};

/** Sends a command to the device with this name, and prints its result or its id. */
const request = async (
  session: Session,
  name: string,
  { wanted, done }: { wanted: DeviceRequest; done: string },
  { timeout, wait, expiry, retry }: RequestOptions,
): Promise<void> => {
  const { lanyard, out, signal } = session;
  const { id } = await findDevice(lanyard, name);
  const options = {
    ...{ signal, timeoutMs: timeout * 1_000 },
    ...(expiry !== undefined && { expirySeconds: expiry }),
    ...(retry !== undefined && { retry }),
  };
  if (!wait) {
    const asyncId = await lanyard.sendCommand(id, wanted, options);
    return out.result({ async_id: asyncId }, () => asyncId);
  }
  await showResult(session, await lanyard.command(id, wanted, options), done);
};

/** The status of a device that cannot send an object or an instance as JSON: it is asked again, for its own format. */
const notAcceptable = 406;

const read = async (session: Session, name: string, uri: string, options: RequestOptions): Promise<void> => {
  const wanted = { method: 'GET', uri } as const;
  const isResource = uri.split('/').length >= 4;
  if (isResource || !options.wait) return request(session, name, { wanted, done: 'The value is empty.' }, options);
  const done = 'Nothing is there.';
  try {
    await request(session, name, { wanted: { ...wanted, accept: 'application/senml+json' }, done }, options);
  } catch (error) {
    if (!(error instanceof CommandFailed && error.status === notAcceptable)) throw error;
    await request(session, name, { wanted, done }, options);
  }
};

interface WriteOptions extends RequestOptions {
  file?: string;
  contentType?: string;
}

const valueOf = async (
  value: string | undefined,
  { file }: WriteOptions,
  signal: AbortSignal,
): Promise<string | Uint8Array> => {
  if ((value === undefined) === (file === undefined)) throw new UsageError('Give either a value or --file.');
  return value ?? contentOf(file as string, signal);
};

export const addDeviceRequests = (program: Command, cli: Cli): void => {
  withRequestOptions(
    program
      .command('read')
      .description('Read a resource, an instance or an object from a device')
      .argument('<device>', 'name or id')
      .argument('<path>', 'for example /3303/0/5700'),
  ).action(async (name: string, path: string, options: RequestOptions, command: Command) => {
    const uri = resourcePath(path);
    await read(cli.session(command), name, uri, options);
  });

  withRequestOptions(
    program
      .command('write')
      .description('Write a resource of a device')
      .argument('<device>', 'name or id')
      .argument('<path>', 'for example /3341/0/5527')
      .argument('[value]', 'text; put -- before a value that begins with a minus sign')
      .option('--file <file>', 'content of this file instead of a value; - is the standard input')
      .option(
        '--content-type <type>',
        'media type of the value; default: text/plain, or application/octet-stream for a file',
      ),
  ).action(async (name: string, path: string, value: string | undefined, options: WriteOptions, command: Command) => {
    const payload = await valueOf(value, options, cli.signal);
    const contentType =
      options.contentType ?? (typeof payload === 'string' ? 'text/plain' : 'application/octet-stream');
    const wanted = { method: 'PUT', uri: resourcePath(path), payload, contentType } as const;
    await request(cli.session(command), name, { wanted, done: 'Written.' }, options);
  });

  withRequestOptions(
    program
      .command('exec')
      .description('Execute a resource of a device')
      .argument('<device>', 'name or id')
      .argument('<path>', 'for example /3/0/4')
      .argument('[arguments]', "arguments of the resource, for example 0='5'"),
  ).action(async (name: string, path: string, text: string | undefined, options: RequestOptions, command: Command) => {
    const uri = resourcePath(path, 3);
    const wanted = { method: 'POST', uri, ...(text !== undefined && { payload: text }) } as const;
    await request(cli.session(command), name, { wanted, done: 'Executed.' }, options);
  });
};
