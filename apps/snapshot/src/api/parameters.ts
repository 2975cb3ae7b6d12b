import { type FieldProblem, readDate, ValidationFailed } from '@lanyard/service';

/** Parameters of a query, as Fastify parses them: each may be repeated, or absent. */
export type Given<Name extends string> = Partial<Record<Name, string | string[]>>;

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads the parameters of a query and collects what is wrong with them. */
export class Parameters<Name extends string> {
  private readonly problems: FieldProblem[] = [];

  constructor(private readonly given: Given<Name>) {}

  refuse(name: Name, message: string): void {
    if (!this.problems.some((problem) => problem.name === name)) this.problems.push({ name, message });
  }

  /** '' if the parameter is absent, or if it is repeated, which is refused. */
  text(name: Name): string {
    const value = this.given[name] ?? '';
    if (typeof value === 'string') return value;
    this.refuse(name, 'Must be given once');
    return '';
  }

  /** Milliseconds since the epoch; NaN if the text is no time, which is refused. */
  time(name: Name, otherwise: number): number {
    const text = this.text(name);
    if (text === '') return otherwise;
    if (timeForm.test(text) && readDate(text) !== undefined) return Date.parse(text);
    this.refuse(name, 'Must be a time of the years 0001 to 9999, for example 2026-11-24T06:00:00Z');
    return NaN;
  }

  wholeNumber(name: Name, bounds: { min: number; max: number; default: number }): number {
    const text = this.text(name);
    const value = text === '' ? bounds.default : Number(text);
    if (!Number.isInteger(value) || value < bounds.min || value > bounds.max)
      this.refuse(name, `Must be a whole number from ${bounds.min} to ${bounds.max}`);
    return value;
  }

  /** Throws ValidationFailed, which names every parameter that is wrong. */
  check(): void {
    if (this.problems.length > 0) throw new ValidationFailed(this.problems);
  }
}
