import { type Document, nameOf, resolved, type Schema } from './document.ts';
import { KnownIds } from './known-ids.ts';
import type { Random } from '../../tools/testing/random.ts';
import { commonHints, plausibleTexts } from './values.ts';

/** Given although they are optional: without them the request selects nothing. */
const alwaysGiven = new Set(['device_id', 'group_id']);

/** Values that a schema allows, none of them twice where that matters. */
export class ValidValues {
  private made = 0;

  constructor(
    private readonly document: Document,
    private readonly random: Random,
    private readonly ids: KnownIds,
    private readonly hints: Record<string, readonly string[]>,
  ) {}

  /** undefined: there is none yet, because it holds the id of something that does not exist yet. */
  of(given: Schema, name = nameOf(given)): unknown {
    const { random } = this;
    const schema = resolved(this.document, given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return this.of(random.pick(options.filter(({ type }) => type !== 'null')), name || undefined);
    switch ([schema.type].flat()[0]) {
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return this.number(schema);
      case 'array':
        return this.array(schema, name);
      case 'object':
        return this.object(schema);
      default:
        return this.text(schema, name);
    }
  }

  /** Never the same. */
  fresh(): string {
    return `made-${++this.made}`;
  }

  private text({ pattern, minLength = 0, maxLength }: Schema, name: string): string | undefined {
    const hint = this.hints[name] ?? commonHints[name];
    if (hint) return this.random.pick(hint);
    if (KnownIds.isId(name)) return this.ids.forField(name);
    const fresh = this.fresh().padEnd(minLength, '-').slice(0, maxLength);
    const wanted = new RegExp(pattern ?? '');
    return wanted.test(fresh) ? fresh : this.random.pick(plausibleTexts.filter((text) => wanted.test(text)));
  }

  private number({ minimum = 1, maximum = minimum }: Schema): number {
    return Math.floor((minimum + maximum) / 2);
  }

  private array({ items = {}, minItems = 0 }: Schema, name: string): unknown[] | undefined {
    const item = this.of(items, name);
    if (item !== undefined) return [item];
    return minItems === 0 ? [] : undefined;
  }

  private object({ properties = {}, required = [] }: Schema): Record<string, unknown> | undefined {
    const entries = Object.entries(properties)
      .filter(([, schema]) => !schema.readOnly)
      .filter(([name]) => required.includes(name) || alwaysGiven.has(name) || this.random.chance(0.3))
      .map(([name, schema]): [string, unknown] => [name, this.of(schema, name)])
      .filter(([, value]) => value !== undefined);
    const given = Object.fromEntries(entries);
    return required.every((name) => Object.hasOwn(given, name)) ? given : undefined;
  }
}
