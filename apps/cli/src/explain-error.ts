import {
  ChannelEnded,
  CommandFailed,
  CommandPending,
  ConnectionLost,
  InvalidKey,
  InvalidPathValue,
  NoAnswer,
  NotAllowed,
  NotFound,
  RequestFailed,
  TailEnded,
} from '@lanyard/client';
import { CliError, type ExitCode, exitCodes } from './errors.js';

export interface Explained {
  message: string;
  advice?: string;
  exitCode: ExitCode;
  requestId?: string;
}

/** Methods and paths of the API mean nothing to the user of a command. */
const withoutOperation = (message: string): string =>
  message.replace(/^(GET|PUT|POST|DELETE) \/\S+: (\d{3} )?/, '').replace(/ \(request [^)]+\)$/, '');

const statusCode = (error: RequestFailed): ExitCode => {
  if (error instanceof InvalidKey || error instanceof NotAllowed) return exitCodes.notPermitted;
  if (error instanceof NotFound) return exitCodes.notFound;
  return error.status === 504 ? exitCodes.timeout : exitCodes.refused;
};

const ofRequest = (error: RequestFailed): Explained => ({
  message: withoutOperation(error.message),
  exitCode: statusCode(error),
  ...(error.requestId !== undefined && { requestId: error.requestId }),
  ...(error instanceof InvalidKey && { advice: 'Sign in with "lanyard login".' }),
});

const deviceTimeouts = new Set(['TIMEOUT', 'REQUEST_EXPIRED']);

const ofCommand = ({ status, code, asyncId }: CommandFailed): Explained => ({
  message: `The command ended with ${status}${code === undefined ? '' : ` ${code}`}.`,
  advice: `"lanyard explain --command ${asyncId}" shows what happened to it.`,
  exitCode: code !== undefined && deviceTimeouts.has(code) ? exitCodes.timeout : exitCodes.refused,
});

const reasonOf = (error: Error): string => {
  const { cause } = error as { cause?: unknown };
  if (!(cause instanceof Error)) return '';
  const { code, message } = (cause.cause instanceof Error ? cause.cause : cause) as Error & { code?: string };
  return ` (${code ?? message})`;
};

const isTimeout = (error: Error): boolean =>
  error.cause instanceof Error && ['TimeoutError', 'AbortError'].includes(error.cause.name);

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const ofNoAnswer = (error: NoAnswer): Explained => ({
  message: `${sentence(withoutOperation(error.message))}${reasonOf(error)}.`,
  advice: 'Check the address with "lanyard profiles", and whether the service is running.',
  exitCode: isTimeout(error) ? exitCodes.timeout : exitCodes.noConnection,
});

/** Codes of errors about a path that the user gave, which are errors of usage. A full disk, for example, is not. */
const fileProblems = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR']);

const ofAny = (error: unknown): Explained => {
  const { message, code, errno } = error as NodeJS.ErrnoException;
  const isUsage = code !== undefined && (errno === undefined || fileProblems.has(code));
  return { message: String(message ?? error), exitCode: isUsage ? exitCodes.usage : exitCodes.refused };
};

/** The message about an error, and how the program ends. */
export const explainError = (error: unknown): Explained => {
  if (error instanceof CliError)
    return { message: error.message, exitCode: error.exitCode, ...(error.advice && { advice: error.advice }) };
  if (error instanceof RequestFailed) return ofRequest(error);
  if (error instanceof CommandFailed) return ofCommand(error);
  if (error instanceof CommandPending)
    return {
      message: 'The device has not answered yet; the command continues.',
      advice: `"lanyard commands wait ${error.asyncId}" waits for its result.`,
      exitCode: exitCodes.timeout,
    };
  if (error instanceof InvalidPathValue)
    return { message: `${withoutOperation(error.message)}.`, exitCode: exitCodes.usage };
  if (error instanceof NoAnswer) return ofNoAnswer(error);
  if (error instanceof ChannelEnded || error instanceof TailEnded)
    return { message: `${sentence(error.message)}${reasonOf(error)}.`, exitCode: exitCodes.notPermitted };
  if (error instanceof ConnectionLost)
    return { message: `${sentence(error.message)}.`, exitCode: exitCodes.noConnection };
  return ofAny(error);
};
