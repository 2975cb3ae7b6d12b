import { endsWithin } from '../ends-within.js';

/** How long a start waits for a server that accepts connections but does not answer. */
export const engineAnswersMs = 30_000;

/** Aborts the start. The message tells operators why the service does not run. */
export class EngineAway extends Error {
  constructor(engine: string, where: string, why: string) {
    super(`${engine} at ${where} cannot be reached: ${why}`);
    this.name = 'EngineAway';
  }
}

/** Awaits the first request to a server. Rejects with EngineAway if it fails or times out. `where` has no secrets. */
export const reached = async <T>(engine: string, where: string, asked: Promise<T>): Promise<T> => {
  try {
    if (await endsWithin(engineAnswersMs, asked)) return await asked;
  } catch (error) {
    throw new EngineAway(engine, where, error instanceof Error ? error.message || error.name : String(error));
  }
  throw new EngineAway(engine, where, `no answer within ${engineAnswersMs / 1_000} s`);
};
