import type { JsonSchema } from './document-types.js';

const hexId = (last: string): string => `0178a2c0d1e4${last.padStart(20, '0')}`;

/** Values by the name of a field or parameter. What is not named here follows from its schema. */
const named: Record<string, unknown> = {
  account_id: hexId('1'),
  application_id: hexId('d01'),
  'async-response-id': 'read-1',
  async_id: 'read-1',
  'async-id': 'read-1',
  category: 'maintenance',
  content_type: 'text/plain',
  ct: 'text/plain',
  date_time: '2026-01-01T10:00:00.123456Z',
  description: 'North hall',
  device_id: hexId('100100001'),
  device_log_id: hexId('100300001'),
  display_name: 'Example',
  endpoint_name: 'thermo-1',
  endpoint_type: 'thermometer',
  ep: hexId('100100001'),
  event_code: 'SYS_106',
  event_type: '106',
  event_type_category: 'INFO',
  filter: 'state=registered',
  group_id: hexId('100200001'),
  id: hexId('100100001'),
  identity: 'thermo-1',
  if: 'sensor',
  key: 'ak_1…',
  limit: 50,
  name: 'thermo-1',
  object_id: 3303,
  'original-ep': 'thermo-1',
  path: '/3303/0/5700',
  payload: 'MjEuNQ==',
  query: 'state=registered',
  reference: 'maintenance',
  resource_path: '/3303/0/5700',
  'resource-path': '/3303/0/5700',
  rt: 'oma.lwm2m',
  subject: 'CN=thermo-1',
  uri: '/3303/0/5700',
  url: 'https://app.example/events',
  value: 'MjEuNQ==',
};

const ofPaths: Record<string, unknown> = {
  account: hexId('1'),
  application: hexId('d01'),
  asyncId: 'read-1',
  code: 'SYS_106',
  credentialId: hexId('100400001'),
  deviceId: hexId('100100001'),
  id: hexId('100100001'),
  secretId: hexId('100100002'),
  instance: 0,
  object: 3303,
  reference: 'maintenance',
  resource: 5700,
  resourceInstance: 0,
};

/** Examples of bodies that are not JSON. */
const ofMediaTypes: Record<string, string> = {
  'application/octet-stream': '21.5',
  'text/csv': 'endpoint_name,endpoint_type\nthermo-1,thermometer\n',
  'text/event-stream':
    'id: 0178a2c0d1e400000000000100300001\ndata: {"object":"device-event","event_code":"SYS_106"}\n\n',
  'text/plain': '21.5',
  'text/uri-list': '/3303/0/5700\n',
};

export type Schemas = Record<string, JsonSchema>;

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null');

const fits = (schema: JsonSchema, value: unknown): boolean => {
  const types = [schema['type']].flat();
  const pattern = schema['pattern'];
  if (typeof value === 'number') return types.includes('integer') || types.includes('number');
  return types.includes('string') && (typeof pattern !== 'string' || new RegExp(pattern).test(String(value)));
};

const textOf = (name: string, { pattern, format }: JsonSchema): string => {
  if (format === 'date-time' || name === 'at' || /_(at|timestamp|since)$/.test(name))
    return '2026-01-01T10:00:00.123456Z';
  if (format === 'date' || name.endsWith('_date')) return '2027-01-01';
  return typeof pattern === 'string' && pattern.includes('0-9a-f') ? hexId('100100001') : 'example';
};

/** Makes examples from schemas: with all members for answers, with only the required ones for requests. */
export class ExampleMaker {
  constructor(
    private readonly schemas: Schemas,
    private readonly whole: boolean,
  ) {}

  exampleOf(given: JsonSchema, name = ''): unknown {
    const schema = this.resolved(given);
    const [first] = (schema['examples'] as unknown[] | undefined) ?? [];
    if (first !== undefined) return first;
    const own =
      schema['example'] ?? schema['default'] ?? schema['const'] ?? (schema['enum'] as unknown[] | undefined)?.[0];
    if (own !== undefined) return own;
    const options = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
    if (options) return this.exampleOf(options[0] as JsonSchema, name);
    const byName = named[name];
    if (byName !== undefined && fits(schema, byName)) return byName;
    if (isNullable(schema) && name !== '') return null;
    switch ([schema['type']].flat()[0]) {
      case 'array':
        return this.array((schema['items'] ?? {}) as JsonSchema, name);
      case 'boolean':
        return false;
      case 'integer':
      case 'number':
        // zod adds the safe integer range to every integer.
        return Math.max(1, Number(schema['minimum'] ?? 1));
      case 'string':
        return textOf(name, schema);
      default:
        return this.object(schema);
    }
  }

  private array(items: JsonSchema, name: string): unknown[] {
    return 'not' in items ? [] : [this.exampleOf(items, name)];
  }

  private object({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
    const isGiven = (name: string): boolean => this.whole || (required as string[]).includes(name);
    const entries = Object.entries(properties as Schemas).filter(([name]) => isGiven(name));
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.exampleOf(schema, name)]));
  }

  private resolved(schema: JsonSchema): JsonSchema {
    const name = String(schema['$ref'] ?? '')
      .split('/')
      .at(-1);
    return (name && this.schemas[name]) || schema;
  }
}

/** Initial value on the page for trying an operation. Optional parameters stay empty, unless one of them must be given. */
export const parameterExample = (place: string, name: string, required: boolean): unknown => {
  if (place === 'path') return ofPaths[name];
  // Shown as a form of its own: without an example it would begin with every filter at once.
  if (name === 'filters') return {};
  return required ? named[name] : undefined;
};

export const contentExample = (maker: ExampleMaker, mediaType: string, schema: JsonSchema | undefined): unknown => {
  if (mediaType.includes('json')) return schema && maker.exampleOf(schema);
  const own = schema && (schema['example'] ?? (schema['enum'] as unknown[] | undefined)?.[0]);
  return own ?? ofMediaTypes[mediaType];
};
