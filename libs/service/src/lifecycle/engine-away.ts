import { endsWithin } from '../ends-within.js';

/** How long a start waits for an engine that takes connections and does not answer. */
export const engineAnswersMs = 30_000;

/** Ends a start. The message is for whoever looks why the service does not run. */
export class EngineAway extends Error {
  constructor(engine: string, where: string, why: string) {
    super(`${engine} at ${where} cannot be reached: ${why}`);
    this.name = 'EngineAway';
  }
}

/** What was asked of an engine first. Rejects with EngineAway when that fails, or has no answer in time. `where`: no secrets. */
export const reached = async <T>(engine: string, where: string, asked: Promise<T>): Promise<T> => {
  try {
    if (await endsWithin(engineAnswersMs, asked)) return await asked;
  } catch (error) {
    throw new EngineAway(engine, where, error instanceof Error ? error.message || error.name : String(error));
  }
  throw new EngineAway(engine, where, `no answer within ${engineAnswersMs / 1_000} s`);
};
