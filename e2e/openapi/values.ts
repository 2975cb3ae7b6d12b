import { type Document, nameOf, resolved, type Schema } from './document.ts';
import { KnownIds } from './known-ids.ts';
import { anything, commonHints, nastyNumbers, nastyTexts, plausibleTexts } from './nasty.ts';
import type { Random } from '../../tools/testing/random.ts';

/** Optional parameters that are always given, because without them the request selects nothing. */
const alwaysGiven = new Set(['device_id', 'group_id']);

/** How a value may differ from the values that the schema allows. */
export interface Oddness {
  /** The probability that a part is not allowed by the schema. */
  wrong: number;
  /** Values at the bounds of the schema, and texts that look plausible, instead of new ones. */
  edges: boolean;
}

/** Values for schemas: valid and, if necessary, unique ones; or, with oddness, others. */
export class Values {
  oddness: Oddness = { wrong: 0, edges: false };
  private made = 0;

  constructor(
    private readonly document: Document,
    private readonly random: Random,
    private readonly ids: () => KnownIds,
    private readonly hints: Record<string, readonly string[]>,
  ) {}

  /** undefined if there is no value yet, because it would hold the id of a record that does not exist yet. */
  of(given: Schema, name = nameOf(given), depth = 0): unknown {
    const { random } = this;
    const schema = resolved(this.document, given);
    if (random.chance(this.oddness.wrong)) return random.pick([random.pick(anything), random.pick(nastyTexts)]);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    const options = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => this.oddness.edges || type !== 'null');
    if (options) return this.of(random.pick(options), name || undefined, depth);
    const types = [schema.type ?? 'string'].flat();
    switch (this.oddness.edges ? random.pick(types) : types[0]) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return this.number(schema, types.includes('integer'));
      case 'array':
        return this.array(schema, name, depth);
      case 'object':
        return this.object(schema, depth);
      default:
        return this.text(schema, name);
    }
  }

  /** A different text each time. */
  fresh(): string {
    return `made-${++this.made}`;
  }

  private text({ pattern = '', minLength = 0, maxLength }: Schema, name: string): string | undefined {
    const { random } = this;
    const { edges } = this.oddness;
    // At the limits, with characters of one and two UTF-16 units, each of which counts as one.
    if (edges && maxLength !== undefined && random.chance(0.15))
      return random.pick(['x', 'é', '😀']).repeat(maxLength + random.pick([-1, 0, 1]));
    // Each async-id names a new command.
    if (name === 'async-id') return `generated-${random.below(1e9)}`;
    const isHinted = !edges || random.chance(0.8);
    const hint = this.hints[name] ?? commonHints[name];
    if (hint && isHinted) return random.pick(hint);
    const id = isHinted && KnownIds.isId(name) ? this.ids().forField(name) : undefined;
    if (id !== undefined || (KnownIds.isId(name) && !edges)) return id;
    const wanted = new RegExp(pattern);
    const fresh = this.fresh().padEnd(minLength, '-').slice(0, maxLength);
    if (!edges && wanted.test(fresh)) return fresh;
    const fitting = plausibleTexts.filter((text) => wanted.test(text));
    return random.pick(fitting.length > 0 ? fitting : plausibleTexts);
  }

  private number({ minimum = 1, maximum = minimum }: Schema, whole: boolean): number {
    const { random } = this;
    if (!this.oddness.edges) return Math.floor((minimum + maximum) / 2);
    if (random.chance(0.7)) return random.pick([minimum, maximum]) + random.pick([0, 0, 1, -1]);
    return whole ? Math.trunc(random.pick(nastyNumbers)) : random.pick(nastyNumbers);
  }

  private array(
    { items = {}, minItems = 0, maxItems = 5 }: Schema,
    name: string,
    depth: number,
  ): unknown[] | undefined {
    const { edges } = this.oddness;
    const length = !edges ? 1 : depth > 3 ? minItems : Math.min(maxItems, minItems + this.random.below(3));
    const all = Array.from({ length }, () => this.of(items, name, depth + 1)).filter((item) => item !== undefined);
    return all.length < minItems && !edges ? undefined : all;
  }

  private object({ properties = {}, required = [], additionalProperties }: Schema, depth: number) {
    const { random } = this;
    const { wrong, edges } = this.oddness;
    const isGiven = (name: string, { readOnly }: Schema): boolean => {
      // A read-only field is refused unless its value is unchanged.
      if (readOnly) return random.chance(wrong / 9);
      return required.includes(name) ? !random.chance(wrong / 2) : alwaysGiven.has(name) || random.chance(0.35);
    };
    const entries = Object.entries(properties)
      .filter(([name, schema]) => isGiven(name, schema))
      .map(([name, schema]): [string, unknown] => [name, this.of(schema, name, depth + 1)])
      .filter(([, value]) => value !== undefined);
    if (edges && typeof additionalProperties === 'object')
      for (let n = random.below(3); n > 0; n--)
        entries.push([random.pick(plausibleTexts), this.of(additionalProperties, '', depth + 1)]);
    if (random.chance(wrong)) entries.push([random.pick(nastyTexts), random.pick(anything)]);
    const given: Record<string, unknown> = Object.fromEntries(entries);
    return edges || required.every((name) => Object.hasOwn(given, name)) ? given : undefined;
  }
}
