import { QueryFailedError } from 'typeorm';

const uniqueViolation = '23505';
const foreignKeyViolation = '23503';

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof QueryFailedError && (error.driverError as { code?: string }).code === code;

export const isUniqueViolation = (error: unknown): boolean => hasCode(error, uniqueViolation);

export const violatedIndex = (error: unknown): string | undefined =>
  isUniqueViolation(error)
    ? ((error as QueryFailedError).driverError as { constraint?: string }).constraint
    : undefined;

/** The row that this one refers to does not exist, or no longer does. */
export const isForeignKeyViolation = (error: unknown): boolean => hasCode(error, foreignKeyViolation);
