import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type FieldProblem, ValidationFailed } from '../errors/service-error.js';

/** Clients send whole records back: a field without a value is null or absent. */
const present = (value: unknown): unknown => value ?? null;

/** A field that clients of the original service send, and that is ignored (docs/compatibility.md). */
export const ignored = <T extends z.ZodType>(type: T, why: string): z.ZodOptional<T> =>
  type.optional().meta({ 'x-ignored': true, description: `Ignored: ${why}` });

const readOnly = (type: z.ZodType): z.ZodType =>
  type.nullish().meta({ readOnly: true, description: 'Read-only: accepted only with its current value' });

/**
 * Body of a PUT that changes a record: the fields of `changes`, and every other field of `record` with its present value
 * (`refuseOtherValues`). Any other field is refused.
 */
export const recordChange = <C extends z.ZodRawShape>(
  record: z.ZodObject,
  changes: C,
): z.ZodObject<C, z.core.$strict> => {
  const others = Object.entries(record.shape).filter(([name]) => !Object.hasOwn(changes, name));
  const shape = Object.fromEntries(others.map(([name, type]) => [name, readOnly(type as z.ZodType)]));
  return z.strictObject({ ...shape, ...changes }) as unknown as z.ZodObject<C, z.core.$strict>;
};

/** The part of a body that changes the record, and the part that must be unchanged. */
export const dividedChange = <T extends object>(
  body: T,
  changes: Record<string, unknown>,
): { changes: T; unchanged: Record<string, unknown> } => {
  const all = Object.entries(body);
  return {
    changes: Object.fromEntries(all.filter(([name]) => Object.hasOwn(changes, name))) as T,
    unchanged: Object.fromEntries(all.filter(([name]) => !Object.hasOwn(changes, name))),
  };
};

/**
 * Throws ValidationFailed naming the read-only fields that have another value than `record`. `moving`: counters and times
 * of use, which may differ from what the caller read although the record was not changed.
 */
export const refuseOtherValues = (
  unchanged: Record<string, unknown>,
  record: object,
  moving: readonly string[] = [],
): void => {
  const now = record as Record<string, unknown>;
  const problems = Object.entries(unchanged).flatMap(([name, value]): FieldProblem[] => {
    if (moving.includes(name) || isDeepStrictEqual(present(value), present(now[name]))) return [];
    return [{ name, message: 'Read-only: leave it out, or send its current value' }];
  });
  if (problems.length > 0) throw new ValidationFailed(problems);
};

/** The fields of a body that change the record. Throws as `refuseOtherValues` for the others. */
export const changesOf = <T extends object>(
  body: T,
  changes: Record<string, unknown>,
  record: object,
  moving: readonly string[] = [],
): T => {
  const { changes: wanted, unchanged } = dividedChange(body, changes);
  refuseOtherValues(unchanged, record, moving);
  return wanted;
};
