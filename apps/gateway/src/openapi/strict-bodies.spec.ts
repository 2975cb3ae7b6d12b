import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  readOnly?: boolean;
  description?: string;
  'x-ignored'?: boolean;
}

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const docs = new URL('../../../../docs/', import.meta.url);

/** The committed document is what the code says: tools/check-docs.ts. */
const { paths, components } = JSON.parse(readFileSync(new URL('openapi.json', docs), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const bodies: [operation: string, schema: Schema][] = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema;
    return schema ? [[`${method.toUpperCase()} ${path}`, schema] as [string, Schema]] : [];
  }),
);

/** A schema and all schemas below it, with their paths. Read-only ones are compared as a whole. */
const allOf = (given: Schema, at = ''): [at: string, schema: Schema][] => {
  const schema =
    given.$ref === undefined ? given : (components.schemas[given.$ref.split('/').at(-1) as string] as Schema);
  if (schema.readOnly) return [];
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, one]): [string, Schema] => [`${at}.${name}`, one]),
    ...[schema.anyOf, schema.oneOf, schema.items].flat().map((one): [string, Schema] | [] => (one ? [at, one] : [])),
  ].filter((pair): pair is [string, Schema] => pair.length > 0);
  return [[at, schema], ...inner.flatMap(([name, one]) => allOf(one, name))];
};

describe('bodies of requests in the OpenAPI document', () => {
  it('take no field that they do not name, at any depth', () => {
    const loose = bodies.flatMap(([operation, body]) =>
      allOf(body)
        .filter(([, { properties, additionalProperties }]) => properties && additionalProperties !== false)
        .map(([at]) => operation + at),
    );
    // Its further fields are custom attributes (spec §2.1).
    expect(loose).toEqual(['POST /v3/device-groups']);
  });

  it('ignore what docs/compatibility.md lists, and nothing else', () => {
    const ignored = bodies.flatMap(([operation, body]) =>
      allOf(body)
        .filter(([, schema]) => schema['x-ignored'])
        .map(([at]) => `${operation} ${at.slice(1)}`),
    );
    const page = readFileSync(new URL('compatibility.md', docs), 'utf8');
    const listed = [...page.matchAll(/^\| `([A-Z]+ \/\S+)` +\| (`.+`) +\|/gm)].flatMap(([, operation, fields = '']) =>
      [...fields.matchAll(/`(\w+)`/g)].map(([, field]) => `${operation} ${field}`),
    );
    expect(ignored.toSorted()).toEqual(listed.toSorted());
    expect(ignored.length).toBeGreaterThan(0);
  });
});
