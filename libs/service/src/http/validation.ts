import { StandardSchemaValidationPipe } from '@nestjs/common';
import { ValidationFailed } from '../errors/service-error.js';

const nameOf = (path: readonly (PropertyKey | { key: PropertyKey })[] | undefined): string =>
  (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.') || 'body';

/** Checks parameters declared as `@Body({ schema })`, `@Query({ schema })`; problems name the field. */
export const validationPipe = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({
    exceptionFactory: (issues) =>
      new ValidationFailed(issues.map((issue) => ({ name: nameOf(issue.path), message: issue.message }))),
  });
