import { InvalidMessage } from '@lanyard/contracts';
import { type Batch, PoisonMessage, type Received } from './batch.js';

interface Part<R> {
  offset: bigint;
  rows: readonly R[];
}

/** As PostgreSQL reports it. `routine`: the function of its source code that failed. */
interface Refusal {
  code?: unknown;
  routine?: unknown;
}

/**
 * Of 54000, program limit exceeded, only these are about a value, mostly one that is too large for its index. PostgreSQL reports
 * it too when it has no transaction ids left, or when its queue of notifications or a relation is full.
 */
const valueRoutines = /^(_bt_check_third_page|index_form_tuple|RelationGetBufferForTuple|GinFormTuple|ArrayGetNItems)/;
const isTooLarge = ({ code, routine }: Refusal): boolean => code === '54000' && valueRoutines.test(String(routine));

/**
 * SQLSTATE class 22, data exception: no table ever accepts the value, such as a NUL in a text, or the 30th of February. Or the
 * value is too large, or what is announced because of it fits no topic.
 */
export const isAboutData = (error: unknown): error is Error =>
  error instanceof InvalidMessage ||
  (error instanceof Error && (/^22...$/.test(String((error as Refusal).code)) || isTooLarge(error as Refusal)));

type RowsOf<V, R> = (value: V, message: Received<V>) => readonly R[];

const partOf = <V, R>(message: Received<V>, rowsOf: RowsOf<V, R>): Part<R> => {
  const { offset, value } = message;
  try {
    return { offset, rows: rowsOf(value, message) };
  } catch (error) {
    throw new PoisonMessage(offset, String(error));
  }
};

const writeParts = async <R>(parts: readonly Part<R>[], write: (rows: R[]) => Promise<void>): Promise<void> => {
  try {
    await write(parts.flatMap(({ rows }) => rows));
  } catch (error) {
    if (!isAboutData(error)) throw error;
    const [only] = parts;
    if (parts.length === 1 && only) throw new PoisonMessage(only.offset, error.message);
    const middle = Math.ceil(parts.length / 2);
    await writeParts(parts.slice(0, middle), write);
    await writeParts(parts.slice(middle), write);
  }
};

/**
 * Stores a batch with one `write`. A message that cannot be stored is poison: `rowsOf` throws for it, or PostgreSQL refuses
 * its data; then the message is looked for by writing parts of the batch, so `write` must be repeatable. Whatever else `write`
 * rejects with is for the consumer, which tries all of the batch again.
 */
export const storeBatch = async <V, R>(
  { messages }: Pick<Batch<V>, 'messages'>,
  rowsOf: RowsOf<V, R>,
  write: (rows: R[]) => Promise<void>,
): Promise<void> => {
  const parts = messages.map((message) => partOf(message, rowsOf));
  if (parts.length > 0) await writeParts(parts, write);
};

/** Stores the facts of a batch as they are. */
export const storeFacts = <V>(batch: Pick<Batch<V>, 'messages'>, write: (facts: V[]) => Promise<void>): Promise<void> =>
  storeBatch(batch, (fact) => [fact], write);
