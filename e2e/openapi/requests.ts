import { type Role, roleFor } from './callers.ts';
import { type Document, nameOf, type Operation, type Schema } from './document.ts';
import type { PreparedRequest } from './exchange.ts';
import type { KnownIds } from './known-ids.ts';
import { contentTypes, model, nastyTexts, oddIds, oddJson, oddTables } from './nasty.ts';
import { Values } from './values.ts';
import type { Random } from '../../tools/testing/random.ts';

/** The records that exist before the first request. */
export interface Ground {
  accountId: string;
  /** Id of a registered device with a temperature. */
  deviceId: string;
}

/** Path of a resource that the registered device has. */
const numbers: Record<string, string> = { object: '3303', instance: '0', resource: '5700', resourceInstance: '0' };

/** Optional parameters that any operation may have. */
const harmless = new Set(['order', 'limit']);

/** These need a registered device; other operations use one that never connects, so that commands to it wait. */
const forRegistered = /^\/v2\/endpoints|\/(echo|history)$/;

type Content = Pick<PreparedRequest, 'headers' | 'body'>;

/** Valid requests about existing records. */
export class ValidRequests {
  protected readonly values: Values;

  constructor(
    document: Document,
    protected readonly random: Random,
    protected ids: KnownIds,
    private readonly ground: Ground,
    hints: Record<string, readonly string[]>,
  ) {
    this.values = new Values(document, random, () => this.ids, hints);
  }

  /** undefined if a record that the operation needs does not exist yet. */
  of(operation: Operation): PreparedRequest | undefined {
    const path = this.path(operation);
    const content = this.content(operation);
    if (path === undefined || !content) return undefined;
    const query = this.query(operation);
    return { operation, url: path + (query && `?${query}`), ...content };
  }

  /** URL of the record that an operation with If-Match changes, to read its ETag. */
  recordOf(operation: Operation): string | undefined {
    return this.path({ ...operation, path: operation.path.slice(0, operation.path.lastIndexOf('}') + 1) });
  }

  protected path(operation: Operation): string | undefined {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const values = names.map((name) => this.segment(operation, name));
    if (values.includes(undefined)) return undefined;
    return operation.path.replace(/\{\w+\}/g, () => values.shift() ?? '');
  }

  /** The value of a path parameter, encoded. */
  protected segment({ path }: Operation, name: string): string | undefined {
    if (name === 'account') return this.ground.accountId;
    if (name === 'deviceId' && forRegistered.test(path)) return this.ground.deviceId;
    const known = numbers[name] ?? this.ids.forParameter(path, name);
    return known === undefined ? undefined : encodeURIComponent(known);
  }

  protected query({ path, parameters }: Operation): string {
    const pairs: [string, string][] = [];
    for (const { name, in: place, required, schema } of parameters) {
      if (place !== 'query') continue;
      const isGiven = required || (path === '/v3/explain' && name === 'device_id');
      const value =
        isGiven || (harmless.has(name) && this.random.chance(0.3)) ? this.values.of(schema, name) : undefined;
      if (name === 'noWait') pairs.push([name, 'true']);
      else if (value !== undefined) pairs.push([name, String(value)]);
    }
    return new URLSearchParams(pairs).toString();
  }

  /** undefined if there is no valid body yet. */
  protected content({ body }: Operation): Content | undefined {
    const [type, { schema = {} } = {}] = Object.entries(body?.content ?? {})[0] ?? [];
    if (type === undefined) return { headers: {}, body: undefined };
    const headers = { 'content-type': type };
    if (type === 'text/csv') return { headers, body: `endpoint_name\n${this.values.fresh()}\n` };
    if (body?.content['application/xml']) return { headers, body: model };
    if (!type.includes('json')) return { headers, body: '21' };
    const value = this.values.of(schema, nameOf(schema));
    return value === undefined ? undefined : { headers, body: JSON.stringify(value) };
  }
}

export interface GeneratedRequest extends PreparedRequest {
  /** The role of the sender. */
  role: Role;
}

/** Values for parameters that otherwise would make the test wait without using the system. */
const unhurried: Record<string, unknown[]> = { noWait: [true], wait: [1, 0, 61, 'x', ''] };

/** Many requests that should succeed, many that cannot. */
export class GeneratedRequests extends ValidRequests {
  private wrong = 0;
  private role: Role = 'tenant';

  constructor(
    document: Document,
    random: Random,
    private readonly idsOf: Readonly<Record<Role, KnownIds>>,
    hints: Record<string, readonly string[]>,
  ) {
    super(document, random, idsOf.tenant, { accountId: '', deviceId: '' }, hints);
  }

  override of(operation: Operation): GeneratedRequest {
    // Half of the requests have no error that the document reveals.
    this.wrong = this.random.pick([0, 0, 0.1, 0.5]);
    this.values.oddness = { wrong: this.wrong, edges: true };
    this.role = roleFor(operation, this.random);
    this.ids = this.idsOf[this.role];
    const request = super.of(operation) as PreparedRequest;
    return { ...request, headers: { ...request.headers, ...this.headers(operation) }, role: this.role };
  }

  protected override segment({ method, path, parameters }: Operation, name: string): string {
    const { random } = this;
    if (!random.chance(this.wrong)) {
      const known = this.ids.forParameter(path, name);
      if (known !== undefined && random.chance(0.9)) return encodeURIComponent(known);
      const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema;
      if (schema?.type === 'integer') return String(random.pick([0, 1, 3, 3303, 5700, 65_534]));
    }
    // The test itself depends on the account of the installation, so its administrator changes other accounts only.
    const mayBeOwn = this.role !== 'root' || method === 'GET';
    return random.pick(oddIds.filter((id) => mayBeOwn || id !== 'me'));
  }

  protected override query({ parameters }: Operation): string {
    const { random, wrong } = this;
    const pairs: [string, unknown][] = [];
    for (const { name, required, schema, in: place } of parameters) {
      if (place !== 'query') continue;
      const fixed = unhurried[name];
      if (fixed) pairs.push([name, random.pick(fixed)]);
      else if (name === 'filters') pairs.push(...this.filters(schema));
      else if (random.chance(required ? 1 - wrong : 0.3)) pairs.push([name, this.values.of(schema, name)]);
    }
    if (random.chance(wrong / 2))
      pairs.push([random.pick(['unknown', '', 'limit', 'filter']), random.pick(['', '1', 'x', 'name=%00'])]);
    const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encoded(value)}`).join('&');
    return random.chance(wrong / 5) ? `${text}&limit=%zz` : text;
  }

  private filters(schema: Schema): [string, unknown][] {
    if (!this.random.chance(0.6)) return [];
    this.values.oddness = { wrong: 0, edges: true };
    const all = Object.entries(this.values.of(schema, 'filters') as Record<string, unknown>);
    this.values.oddness = { wrong: this.wrong, edges: true };
    const some = this.random.shuffled(all).slice(0, 1 + this.random.below(3));
    return some.map(([name, value]) => [name, this.random.chance(this.wrong) ? this.random.pick(nastyTexts) : value]);
  }

  private headers({ parameters }: Operation): Record<string, string> {
    const { random } = this;
    const hasVersion = parameters.some((one) => one.name === 'If-Match') && random.chance(0.3);
    return {
      ...(hasVersion && { 'if-match': random.pick(['*', '"x"', '', '""""']) }),
      ...(random.chance(0.3) && { accept: random.pick(['application/json', 'text/html', '*/*', 'text/plain']) }),
    };
  }

  protected override content(operation: Operation): Content {
    const { random, wrong } = this;
    const { headers = {}, body } = super.content(operation) ?? {};
    if (body === undefined && !operation.body) return { headers: {}, body };
    const [type = ''] = Object.values(headers);
    const shown = { 'content-type': random.chance(0.7) ? type : random.pick(contentTypes) };
    if (random.chance(wrong / 4)) return { headers: random.chance(0.5) ? shown : {}, body: undefined };
    if (type === 'text/csv' && random.chance(0.8)) return { headers: shown, body: random.pick(oddTables) };
    if (!type.includes('json')) return { headers: shown, body: random.chance(0.5) ? body : random.pick(nastyTexts) };
    const text = body ?? 'null';
    return { headers: shown, body: random.chance(wrong / 2) ? random.pick(oddJson)(text) : text };
  }
}

/** Lone surrogates cannot be encoded; they are sent as WTF-8 bytes, on which no server should choke. */
const encoded = (value: unknown): string => {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
};
