import { QueryFailedError } from 'typeorm';

const uniqueViolation = '23505';
const foreignKeyViolation = '23503';
const lockNotAvailable = '55P03';

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof QueryFailedError && (error.driverError as { code?: string }).code === code;

export const isUniqueViolation = (error: unknown): boolean => hasCode(error, uniqueViolation);

export const violatedIndex = (error: unknown): string | undefined =>
  isUniqueViolation(error)
    ? ((error as QueryFailedError).driverError as { constraint?: string }).constraint
    : undefined;

/** The row that this one refers to does not exist, or no longer does. */
export const isForeignKeyViolation = (error: unknown): boolean => hasCode(error, foreignKeyViolation);

/** Another transaction has kept a lock for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => hasCode(error, lockNotAvailable);
