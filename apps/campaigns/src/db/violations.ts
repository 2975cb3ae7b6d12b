import { QueryFailedError } from 'typeorm';

const uniqueViolation = '23505';

export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof QueryFailedError && (error.driverError as { code?: string }).code === uniqueViolation;
