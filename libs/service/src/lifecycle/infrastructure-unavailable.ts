import { endsWithin } from '../ends-within.js';

/** How long a start waits for a server that accepts connections but does not answer. */
export const firstAnswerTimeoutMs = 30_000;

/** Aborts the start. The message tells operators why the service does not run. */
export class InfrastructureUnavailable extends Error {
  constructor(server: string, where: string, why: string) {
    super(`${server} at ${where} cannot be reached: ${why}`);
    this.name = 'InfrastructureUnavailable';
  }
}

/** A name with several addresses: Node's error has no message of its own, and an error for each address. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
};

/** Awaits the first request to a server; throws InfrastructureUnavailable on failure or time-out. `where` has no secrets. */
export const reached = async <T>(server: string, where: string, asked: Promise<T>): Promise<T> => {
  try {
    if (await endsWithin(firstAnswerTimeoutMs, asked)) return await asked;
  } catch (error) {
    throw new InfrastructureUnavailable(server, where, reasonOf(error));
  }
  throw new InfrastructureUnavailable(server, where, `no answer within ${firstAnswerTimeoutMs / 1_000} s`);
};
