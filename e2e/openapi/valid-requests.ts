import type { Document, Operation } from './document.ts';
import type { PreparedRequest } from './exchange.ts';
import type { KnownIds } from './known-ids.ts';
import type { Random } from '../../tools/testing/random.ts';
import { model } from './requests.ts';
import { ValidValues } from './valid-values.ts';

/** What exists before the first request. */
export interface Ground {
  accountId: string;
  /** Of a registered device with a temperature. */
  deviceId: string;
}

/** Of a resource that the registered device has. */
const numbers: Record<string, string> = { object: '3303', instance: '0', resource: '5700', resourceInstance: '0' };

/** Optional parameters that any operation may have. */
const harmless = new Set(['order', 'limit']);

/** Where only a device that is there has an answer; elsewhere one that never comes is better: commands to it wait. */
const forRegistered = /^\/v2\/endpoints|\/echo$/;

/** Requests with nothing wrong, about things that exist. */
export class ValidRequests {
  private readonly values: ValidValues;

  constructor(
    document: Document,
    private readonly random: Random,
    private readonly ids: KnownIds,
    private readonly ground: Ground,
    hints: Record<string, readonly string[]>,
  ) {
    this.values = new ValidValues(document, random, ids, hints);
  }

  /** undefined: what it needs does not exist yet. */
  of(operation: Operation): PreparedRequest | undefined {
    const path = this.path(operation.path);
    const content = this.content(operation);
    if (path === undefined || !content) return undefined;
    const query = this.query(operation);
    return { operation, url: path + (query && `?${query}`), ...content };
  }

  /** Of the record that an operation with If-Match is about, to ask for its ETag. */
  recordOf({ path }: Operation): string | undefined {
    return this.path(path.slice(0, path.lastIndexOf('}') + 1));
  }

  private path(template: string): string | undefined {
    const values = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => this.parameter(template, name));
    if (values.includes(undefined)) return undefined;
    return template.replace(/\{\w+\}/g, () => encodeURIComponent(values.shift() ?? ''));
  }

  private parameter(path: string, name: string): string | undefined {
    if (name === 'account') return this.ground.accountId;
    if (name === 'deviceId' && forRegistered.test(path)) return this.ground.deviceId;
    return numbers[name] ?? this.ids.forParameter(path, name);
  }

  private query({ path, parameters }: Operation): string {
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

  /** undefined: there is no valid body yet. */
  private content({ body }: Operation): Pick<PreparedRequest, 'headers' | 'body'> | undefined {
    const [type, { schema = {} } = {}] = Object.entries(body?.content ?? {})[0] ?? [];
    if (type === undefined) return { headers: {}, body: undefined };
    const headers = { 'content-type': type };
    if (type === 'text/csv') return { headers, body: `endpoint_name\n${this.values.fresh()}\n` };
    if (body?.content['application/xml']) return { headers, body: model };
    if (!type.includes('json')) return { headers, body: '21' };
    const value = this.values.of(schema);
    return value === undefined ? undefined : { headers, body: JSON.stringify(value) };
  }
}
