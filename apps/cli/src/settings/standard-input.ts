import { addAbortSignal } from 'node:stream';

/** All of the standard input. Unlike `readFileSync`, it waits for a program at the other end that has written nothing yet. */
export const standardInput = async (signal: AbortSignal): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of addAbortSignal(signal, process.stdin)) parts.push(part as Buffer);
  return Buffer.concat(parts);
};
