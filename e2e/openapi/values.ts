import { type Document, resolved, type Schema } from './document.ts';
import type { Random } from '../../tools/testing/random.ts';

/** Text that has broken something somewhere: encodings, queries, formats, lengths. */
const nastyTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '😀🏳️‍🌈',
  '\u202eabc',
  'e\u0301',
  "'; DROP TABLE devices; --",
  '%00',
  '%',
  '../../etc/passwd',
  '${7*7}',
  '<script>',
  '__proto__',
  'constructor',
  'null',
  'true',
  '-1',
  '1e999',
  '0x10',
  'NaN',
  '\n',
  '\\',
  '"',
  '*',
  'a,b,,c',
  'x'.repeat(5_000),
];

/** Text of the kinds that this interface asks for. */
export const plausibleTexts = [
  'a',
  'thermo-1',
  '0'.repeat(32),
  'A'.repeat(64),
  'deadbeef'.repeat(4),
  '/3/0/0',
  '/3303/0/*',
  '3303/0/5700?pmin=1&pmax=10',
  '2024-01-01',
  '2024-02-30',
  '2024-01-01T10:00:00.123456Z',
  '20240101T000000Z',
  '9999-12-31T23:59:59Z',
  '0000-01-01',
  '2024-01-01T00:00:00+25:00',
  'state=registered',
  'created_at__gte=2024-01-01T00:00:00Z&name__in=a,b',
  'custom_attributes__site=north',
  'unknown=1',
  'text/plain',
  'application/senml+json',
  'aGVsbG8=',
  'http://127.0.0.1:1/hook',
  'total_count',
  'ASC',
  'v2',
];

/** What fields with these names want. */
export const commonHints: Record<string, readonly string[]> = {
  uri: ['/3/0/0', '/3303/0/5700', '/3341/0/5527', '/3/0/4', '/3303/0/5700?pmin=1&pmax=10', '/'],
  accept: ['text/plain', 'application/senml+json', 'application/vnd.oma.lwm2m+tlv'],
  'content-type': ['text/plain', 'application/octet-stream', 'application/senml+json'],
  'payload-b64': ['aGVsbG8=', 'MjE=', ''],
  query: ['state=registered', 'name__neq=a&custom_attributes__site=north'],
  filter: ['state=registered', 'created_at__gte=2024-01-01T00:00:00Z', 'custom_attributes__site=north'],
  expiration: ['2099-01-01T00:00:00Z'],
  type: ['v2'],
  server_uri: ['coaps://lwm2m.example.com:5684', 'coap+tcp://192.0.2.7'],
  delete_paths: ['/', '/0', '/1', '/5/0'],
  binding: ['U', 'T', 'UQ'],
};

/** What such fields refuse. */
const refusedHints: Record<string, readonly string[]> = { query: ['name=%00'], filter: ['name=%00'] };

const numbers = [
  0,
  1,
  -1,
  2,
  49,
  50,
  1_000,
  65_535,
  65_536,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  1e21,
  1e308,
  -1e308,
  0.1,
  1e-7,
];

const anything: unknown[] = [null, true, false, 0, -1, 1.5, 1e21, '', 'x', [], {}, [null], { a: { b: [] } }, [[]]];

/** Values for schemas: valid ones, those at the bounds, and those beyond. */
export class Values {
  constructor(
    private readonly document: Document,
    private readonly random: Random,
    /** An id that the system has given out for a field of this name, or undefined. */
    private readonly knownId: (name: string) => string | undefined,
    private readonly hints: Record<string, readonly string[]> = {},
  ) {}

  /** Mostly valid; `wrong`: how likely a value is that the schema does not allow. */
  of(given: Schema, wrong: number, name = '', depth = 0): unknown {
    const { random } = this;
    const schema = resolved(this.document, given);
    if (random.chance(wrong)) return random.chance(0.5) ? random.pick(anything) : this.text(schema, true);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return this.of(random.pick(options), wrong, name, depth);
    const type = random.pick([schema.type ?? 'string'].flat());
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return this.number(schema, type === 'integer');
      case 'array':
        return this.array(schema, wrong, name, depth);
      case 'object':
        return this.object(schema, wrong, depth);
      default:
        return this.known(name) ?? this.text(schema, false);
    }
  }

  text(schema: Schema, nasty: boolean): string {
    const { random } = this;
    if (nasty) return random.pick(nastyTexts);
    const { minLength = 0, maxLength } = schema;
    if (schema.pattern !== undefined) {
      const pattern = new RegExp(schema.pattern);
      const fitting = plausibleTexts.filter((text) => pattern.test(text));
      return random.pick(fitting.length > 0 ? fitting : plausibleTexts);
    }
    // At the bounds, counted in characters that are one and two UTF-16 units long.
    if (maxLength !== undefined && random.chance(0.15))
      return random.pick(['x', 'é', '😀']).repeat(maxLength + random.pick([-1, 0, 1]));
    const text = random.pick(plausibleTexts);
    return text.padEnd(minLength, '-').slice(0, maxLength ?? text.length);
  }

  private known(name: string): string | undefined {
    if (!this.random.chance(0.8)) return undefined;
    // Each names a command of its own.
    if (name === 'async-id') return `generated-${this.random.below(1e9)}`;
    const hints = [this.hints[name] ?? commonHints[name] ?? [], refusedHints[name] ?? []].flat();
    return hints.length > 0 ? this.random.pick(hints) : this.knownId(name);
  }

  private number({ minimum, maximum }: Schema, whole: boolean): number {
    const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
    const { random } = this;
    if (bounds.length > 0 && random.chance(0.7)) return random.pick(bounds) + random.pick([0, 0, 1, -1]);
    const value = random.pick(numbers);
    return whole ? Math.trunc(value) : value;
  }

  private array(
    { items = {}, minItems = 0, maxItems = 5 }: Schema,
    wrong: number,
    name: string,
    depth: number,
  ): unknown[] {
    const length = depth > 3 ? minItems : Math.min(maxItems, minItems + this.random.below(3));
    return Array.from({ length }, () => this.of(items, wrong, name, depth + 1));
  }

  private object(schema: Schema, wrong: number, depth: number): Record<string, unknown> {
    const { random } = this;
    const { properties = {}, required = [], additionalProperties } = schema;
    const entries = Object.entries(properties)
      // A read-only field is refused unless it is as it was read.
      .filter(([name, { readOnly }]) =>
        random.chance(required.includes(name) ? 1 - wrong / 2 : readOnly ? wrong / 9 : 0.4),
      )
      .map(([name, inner]): [string, unknown] => [name, this.of(inner, wrong, name, depth + 1)]);
    if (typeof additionalProperties === 'object')
      for (let n = random.below(3); n > 0; n--)
        entries.push([random.pick(plausibleTexts), this.of(additionalProperties, wrong, '', depth + 1)]);
    if (random.chance(wrong)) entries.push([random.pick(nastyTexts), random.pick(anything)]);
    return Object.fromEntries(entries);
  }
}
