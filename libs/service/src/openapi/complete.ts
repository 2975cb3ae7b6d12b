import { STATUS_CODES } from 'node:http';
import type { Document, JsonSchema, MediaType, Operation, Parameter } from './document-types.js';
import { errorResponses, errorSchemas, requestId, withErrors } from './error-responses.js';
import { contentExample, ExampleMaker, parameterExample } from './examples.js';

/** Segments of a resource path below a device: 16-bit numbers, of which the last is reserved (LwM2M 1.1 §7.2). */
const lwm2mNumber: JsonSchema = { type: 'integer', minimum: 0, maximum: 65_534 };
const schemasOfSegments: Record<string, JsonSchema> = {
  object: lwm2mNumber,
  instance: lwm2mNumber,
  resource: lwm2mNumber,
  resourceInstance: lwm2mNumber,
};

const missingPathParameters = (path: string, given: readonly Parameter[]): Parameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name as string)
    .filter((name) => !given.some((p) => p.in === 'path' && p.name === name))
    .map((name) => ({ name, in: 'path', required: true, schema: schemasOfSegments[name] ?? { type: 'string' } }));

/** `if-match` -> `If-Match`. */
const headerName = (name: string): string => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());

const withParameters = (path: string, operation: Operation): Parameter[] | undefined => {
  const given = operation.parameters ?? [];
  const all = [...given, ...missingPathParameters(path, given)].map((parameter) => {
    // Nest puts the example of a query parameter into its schema.
    const own = parameter.example ?? parameter.schema?.['example'];
    const example = own ?? parameterExample(parameter.in, parameter.name, parameter.required ?? false);
    return {
      ...parameter,
      // No operation insists on a header.
      ...(parameter.in === 'header' && { name: headerName(parameter.name), required: false }),
      ...(example !== undefined && { example }),
    };
  });
  return all.length > 0 ? all : undefined;
};

const takesNull = (schema: JsonSchema | undefined): boolean =>
  [schema?.['type']].flat().includes('null') ||
  ((schema?.['anyOf'] as JsonSchema[] | undefined) ?? []).some((one) => takesNull(one));

/** The record with another value for each key. */
const mapped = <T, U>(record: Record<string, T>, change: (value: T, key: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

const withExamples = (content: Record<string, MediaType>, maker: ExampleMaker): Record<string, MediaType> =>
  mapped(content, (media, type) => {
    const example = media.example ?? contentExample(maker, type, media.schema);
    return { ...media, ...(example !== undefined && { example }) };
  });

/**
 * A handler has one schema for all media types of its body. On the page for trying an operation, `binary` is a file to
 * choose, but text should be typed in, so its schema loses that format.
 */
const textAsText = (content: Record<string, MediaType>): Record<string, MediaType> =>
  mapped(content, (media, type) => {
    const { format, ...schema } = media.schema ?? {};
    return type.startsWith('text/') && format === 'binary' ? { ...media, schema } : media;
  });

const responseExamples = (responses: Operation['responses'], maker: ExampleMaker): Operation['responses'] =>
  mapped(responses, (response, status) =>
    response.content && Number(status) < 300
      ? { ...response, content: withExamples(response.content, maker) }
      : response,
  );

const withBody = (body: NonNullable<Operation['requestBody']>): Operation['requestBody'] => ({
  ...body,
  required: body.required !== false && !Object.values(body.content).some(({ schema }) => takesNull(schema)),
});

const withHeaders = (responses: Operation['responses']): Operation['responses'] =>
  mapped(responses, (response, status) => {
    if (response.$ref !== undefined) return response;
    const description = response.description || STATUS_CODES[Number(status)] || status;
    return { ...response, description, headers: { ...requestId, ...response.headers } };
  });

/** A handler with several paths has one name for each: `read[0]`, `read[1]` -> `read`, `read_2`. */
const operationId = (id: string): string =>
  id.replace(/\[(\d+)\]$/, (_, n: string) => (n === '0' ? '' : `_${Number(n) + 1}`));

/** zod adds the safe integer range to every integer; Nest wraps references in an allOf of one. */
const tidied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  const { allOf, ...rest } = value as { allOf?: object[] };
  if (allOf?.length === 1) return tidied({ ...rest, ...allOf[0] });
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== Number.MAX_SAFE_INTEGER && inner !== Number.MIN_SAFE_INTEGER)
      .map(([key, inner]) => [key, tidied(inner)]),
  );
};

/**
 * The document requires a key of every operation. A public one needs none, unless its controller says otherwise, because it
 * checks the key itself.
 */
const withoutKey = (operation: Operation): Pick<Operation, 'security'> | false =>
  operation['x-permission'] === 'public' && operation.security === undefined && { security: [] };

/** Schemas with a title become components of that name. */
const hoisted = (parameters: Parameter[] | undefined, schemas: Record<string, JsonSchema>): Parameter[] | undefined =>
  parameters?.map((parameter) => {
    const title = parameter.schema?.['title'];
    if (typeof title !== 'string') return parameter;
    schemas[title] = parameter.schema as JsonSchema;
    return { ...parameter, schema: { $ref: `#/components/schemas/${title}` } };
  });

/**
 * The document with what the Nest container cannot know about its routes: errors with their bodies, headers, examples,
 * and path parameters that no handler names.
 */
export const completed = <T extends object>(document: T): T => {
  const { paths, components } = document as unknown as Document;
  const schemas = { ...components?.schemas, ...errorSchemas };
  const [sent, answered] = [new ExampleMaker(schemas, false), new ExampleMaker(schemas, true)];
  const complete = (path: string, operation: Operation): Operation => {
    const body = operation.requestBody && {
      ...operation.requestBody,
      content: withExamples(textAsText(operation.requestBody.content), sent),
    };
    const parameters = hoisted(withParameters(path, operation), schemas);
    const whole: Operation = {
      ...operation,
      ...withoutKey(operation),
      ...(operation.operationId !== undefined && { operationId: operationId(operation.operationId) }),
      ...(parameters && { parameters }),
      ...(body && { requestBody: withBody(body) }),
    };
    const responses = responseExamples(withErrors(path, whole), answered);
    return { ...whole, responses: withHeaders(responses) };
  };
  return tidied({
    ...document,
    paths: mapped(paths, (item, path) => mapped(item, (operation) => complete(path, operation))),
    components: {
      ...components,
      schemas,
      responses: errorResponses,
      headers: {
        RequestId: { description: 'Identifies the request in the logs of all services', schema: { type: 'string' } },
        RetryAfter: {
          description: 'Seconds; absent when unknown, as with QUEUE_IS_FULL and LIMITS_EXCEEDED',
          schema: { type: 'integer', minimum: 1 },
        },
      },
    },
  }) as T;
};
