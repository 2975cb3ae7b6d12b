import { type Document, nameOf, type Operation, type Parameter, type Schema } from './document.ts';
import { type Role, roleFor } from './callers.ts';
import type { PreparedRequest } from './exchange.ts';
import type { KnownIds } from './known-ids.ts';
import type { Random } from '../../tools/testing/random.ts';
import { Values } from './values.ts';

export interface GeneratedRequest extends PreparedRequest {
  /** Who sends it. */
  role: Role;
}

const contentTypes = [
  'application/json',
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/vnd.oma.lwm2m+tlv',
  'application/octet-stream',
  'nonsense',
];

/** An object definition. */
export const model = `<LWM2M><Object ObjectType="MODefinition"><Name>Generated</Name><ObjectID>33000</ObjectID>
  <MultipleInstances>Single</MultipleInstances><Mandatory>Optional</Mandatory><Resources><Item ID="1"><Name>Level</Name>
  <Operations>RW</Operations><MultipleInstances>Single</MultipleInstances><Mandatory>Optional</Mandatory>
  <Type>Integer</Type></Item></Resources></Object></LWM2M>`;

const tables = [
  'endpoint_name\na\nb',
  'name,custom_attributes__x\n"a,b",\u0000',
  'nonsense\n1',
  '',
  'endpoint_name',
  '"',
];

/** Values of parameters that would make the test wait, not the system work. */
const unhurried: Record<string, unknown[]> = { noWait: [true], wait: [1, 0, 61, 'x', ''] };

/** Requests for operations: many that should succeed, many that cannot. */
export class Requests {
  private readonly values: Values;
  /** Of the one who sends the request that is being made. */
  private ids: KnownIds;

  constructor(
    document: Document,
    private readonly random: Random,
    private readonly idsOf: Readonly<Record<Role, KnownIds>>,
    hints: Record<string, readonly string[]>,
  ) {
    this.values = new Values(document, random, (name) => this.ids.forField(name), hints);
    this.ids = idsOf.tenant;
  }

  of(operation: Operation): GeneratedRequest {
    // Half of the requests have nothing wrong with them that the document tells.
    const wrong = this.random.pick([0, 0, 0.1, 0.5]);
    const role = roleFor(operation, this.random);
    this.ids = this.idsOf[role];
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      this.pathValue(operation, name, wrong, role),
    );
    const query = this.query(operation.parameters, wrong);
    const { headers, body } = this.content(operation, wrong);
    return {
      operation,
      url: path + (query && `?${query}`),
      headers: { ...headers, ...this.header(operation) },
      body,
      role,
    };
  }

  private pathValue({ method, path, parameters }: Operation, name: string, wrong: number, role: Role): string {
    const { random } = this;
    if (!random.chance(wrong)) {
      const known = this.ids.forParameter(path, name);
      if (known !== undefined && random.chance(0.9)) return encodeURIComponent(known);
      const schema = parameters.find((p) => p.in === 'path' && p.name === name)?.schema;
      if (schema?.type === 'integer') return String(random.pick([0, 1, 3, 3303, 5700, 65_535]));
    }
    const odd = [
      // The account of the installation is the ground of the test: its administrator changes other accounts only.
      ...(role === 'root' && method !== 'GET' ? [] : ['me']),
      '0'.repeat(32),
      'F'.repeat(32),
      '..%2F..',
      '%00',
      '%20',
      '%zz',
      '%F0%9F%98%80',
      'a'.repeat(300),
      '65536',
      '-1',
    ];
    return random.pick(odd);
  }

  private query(parameters: readonly Parameter[], wrong: number): string {
    const { random } = this;
    const pairs: [string, unknown][] = [];
    for (const { name, required, schema, in: place } of parameters) {
      if (place !== 'query') continue;
      const fixed = unhurried[name];
      if (fixed) pairs.push([name, random.pick(fixed)]);
      else if (name === 'filters') pairs.push(...this.filters(schema, wrong));
      else if (random.chance(required ? 1 - wrong : 0.3)) pairs.push([name, this.values.of(schema, wrong, name)]);
    }
    if (random.chance(wrong / 2))
      pairs.push([random.pick(['unknown', '', 'limit', 'filter']), random.pick(['', '1', 'x'])]);
    const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encoded(value)}`).join('&');
    return random.chance(wrong / 5) ? `${text}&limit=%zz` : text;
  }

  private filters(schema: Schema, wrong: number): [string, unknown][] {
    if (!this.random.chance(0.6)) return [];
    const object = this.values.of(schema, 0, 'filters');
    const some = this.random
      .shuffled(Object.entries(object as Record<string, unknown>))
      .slice(0, 1 + this.random.below(3));
    return some.map(([name, value]) => [name, this.random.chance(wrong) ? this.values.text({}, true) : value]);
  }

  private header({ parameters }: Operation): Record<string, string> {
    const { random } = this;
    return {
      ...(parameters.some((p) => p.name === 'If-Match') &&
        random.chance(0.3) && { 'if-match': random.pick(['*', '"x"', '', '""""']) }),
      ...(random.chance(0.3) && { accept: random.pick(['application/json', 'text/html', '*/*', 'text/plain']) }),
    };
  }

  private content({ body }: Operation, wrong: number): { headers: Record<string, string>; body: string | undefined } {
    const { random } = this;
    if (!body) return { headers: {}, body: undefined };
    const [type = 'application/json', { schema = {} } = {}] = Object.entries(body.content)[0] ?? [];
    const headers = { 'content-type': random.chance(0.7) ? type : random.pick(contentTypes) };
    if (random.chance(wrong / 4)) return { headers: random.chance(0.5) ? headers : {}, body: undefined };
    if (type === 'text/csv') return { headers, body: random.pick(tables) };
    if (body.content['application/xml'])
      return { headers, body: random.chance(0.5) ? model : this.values.text({}, true) };
    if (!type.includes('json')) return { headers, body: this.values.text({}, random.chance(0.5)) };
    return { headers, body: this.json(this.values.of(schema, wrong, nameOf(schema)), wrong) };
  }

  private json(value: unknown, wrong: number): string {
    const text = JSON.stringify(value) ?? 'null';
    if (!this.random.chance(wrong / 2)) return text;
    return this.random.pick([
      text.slice(0, -1),
      text.replace(/:[^,}]*/, ':1e999'),
      '['.repeat(50_000),
      `{"a":${text},"a":${text}}`,
      '\ufeff' + text,
      'undefined',
      '"\\ud800"',
      `{"__proto__":${text}}`,
    ]);
  }
}

/** Lone surrogates have no encoding: as WTF-8 bytes, which no server should choke on. */
const encoded = (value: unknown): string => {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[\ud800-\udfff]/.test(text) && !/[\ud800-\udbff][\udc00-\udfff]/.test(text)
    ? '%ED%A0%80'
    : encodeURIComponent(text);
};
