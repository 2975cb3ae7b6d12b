import { StandardSchemaValidationPipe } from '@nestjs/common';
import { type FieldProblem, ValidationFailed } from '../errors/service-error.js';

/** What a schema finds wrong; `keys` of Zod's strict objects: the fields that they do not have. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
  readonly code?: string;
  readonly keys?: readonly string[];
}

const partsOf = ({ path = [] }: Issue): string[] =>
  path.map((part) => String(typeof part === 'object' ? part.key : part));

/** A problem for each field: a strict object names all unknown ones at once. */
const problemsOf = (issue: Issue): FieldProblem[] => {
  const path = partsOf(issue);
  if (issue.code === 'unrecognized_keys')
    return (issue.keys ?? []).map((key) => ({ name: [...path, key].join('.'), message: 'Unknown field' }));
  return [{ name: path.join('.') || 'body', message: issue.message }];
};

/** A list of 1 MiB may have half a million wrong items. */
const problemsMax = 100;

/** The first problems of a body that does not fit its schema. */
export const fieldProblems = (issues: readonly Issue[]): FieldProblem[] =>
  issues.slice(0, problemsMax).flatMap(problemsOf).slice(0, problemsMax);

/**
 * Nest's pipe deletes members called `prototype` and `constructor` from a body before it checks the body: custom attributes
 * may have these names, and as other fields they are refused. `__proto__` is refused when the body is parsed.
 */
class SchemaPipe extends StandardSchemaValidationPipe {
  protected override stripProtoKeys(): void {}
}

/** Checks parameters declared as `@Body({ schema })`, `@Query({ schema })`; problems name the field. */
export const validationPipe = (): StandardSchemaValidationPipe =>
  new SchemaPipe({ exceptionFactory: (issues) => new ValidationFailed(fieldProblems(issues)) });
