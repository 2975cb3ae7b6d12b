import { type Operation, VersionDiffers } from '@lanyard/client/browser';

type Call = (operation: Operation, input: unknown) => Promise<unknown>;

const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);

/** Whether a record has a value that was set. The service writes times with microseconds, and orders lists itself. */
const has = (held: unknown, set: unknown): boolean => {
  if (held === set) return true;
  if (isTime(held) && isTime(set)) return Date.parse(held) === Date.parse(set);
  if (typeof held !== 'object' || typeof set !== 'object' || held === null || set === null) return false;
  if (Array.isArray(held) && Array.isArray(set))
    return held.length === set.length && set.every((one) => held.some((other) => has(other, one)));
  const fields = held as Record<string, unknown>;
  return Object.entries(set).every(([name, value]) => value === undefined || has(fields[name], value));
};

/**
 * Makes a change. The client sends it again if its answer is lost, and with `If-Match`, the service refuses it then because
 * of the change itself. So a record that has everything that was set counts as changed.
 */
export const changing = async (call: Call, operation: Operation, input: unknown): Promise<unknown> => {
  try {
    return await call(operation, input);
  } catch (error) {
    if (!(error instanceof VersionDiffers)) throw error;
    const { path, body } = input as { path: object; body: object };
    const record = await call(operation.replace(/^PUT /, 'GET ') as Operation, { path });
    if (has(record, body)) return record;
    throw error;
  }
};
