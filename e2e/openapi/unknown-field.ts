import type { GivenAnswer } from './answers.ts';
import { type Document, type Operation, resolved, type Schema } from './document.ts';
import { jsonOf, type PreparedRequest } from './exchange.ts';

const name = 'not_understood';

/** Further fields of a new device group are custom attributes (spec §2.1). */
const isOpen = (document: Document, { body }: Operation): boolean => {
  const schema: Schema = resolved(document, body?.content['application/json']?.schema ?? {});
  return [schema.type].flat().includes('object') && schema.additionalProperties !== false;
};

const withField = (value: unknown): unknown => {
  if (!Array.isArray(value)) return { ...(value as object), [name]: 1 };
  return typeof value[0] === 'object' ? [withField(value[0])] : undefined;
};

/** The same request with an unknown field; undefined if its body is not a JSON object, or accepts any field. */
export const withUnknownField = (document: Document, request: PreparedRequest): PreparedRequest | undefined => {
  const { operation, headers } = request;
  if (operation.method === 'GET' || isOpen(document, operation)) return undefined;
  const content = Object.keys(operation.body?.content ?? { 'application/json': {} });
  if (!content.includes('application/json')) return undefined;
  const body = withField(request.body === undefined ? {} : JSON.parse(request.body));
  if (body === undefined) return undefined;
  const json = { accept: 'application/json', 'content-type': 'application/json' };
  return { ...request, headers: { ...headers, ...json }, body: JSON.stringify(body) };
};

/** Undefined if the request was refused with the name of the field. */
export const problemOfUnknown = (answer: GivenAnswer): string | undefined => {
  const { type, fields = [] } = (jsonOf(answer) ?? {}) as { type?: string; fields?: { name: string }[] };
  const isNamed = fields.some((field) => field.name.split('.').at(-1) === name || field.name === 'body');
  return answer.status === 400 && type === 'validation_error' && isNamed
    ? undefined
    : `a field that no operation knows is not refused: ${answer.status} ${answer.text.slice(0, 300)}`;
};

/** The same request with every field that the operation ignores; undefined if it ignores none. */
export const withIgnoredFields = (document: Document, request: PreparedRequest): PreparedRequest | undefined => {
  const { properties = {} } = resolved(document, request.operation.body?.content['application/json']?.schema ?? {});
  const ignored = Object.entries(properties).filter(([, schema]) => schema['x-ignored']);
  if (ignored.length === 0) return undefined;
  const values = ignored.map(([field, { type }]): [string, unknown] => [field, type === 'array' ? ['a'] : 'a']);
  const body = { ...(JSON.parse(request.body ?? '{}') as object), ...Object.fromEntries(values) };
  return { ...request, body: JSON.stringify(body) };
};

/** For each field of the body with a closed set of values: the same request with another value in that field. */
export const withWrongValues = (document: Document, request: PreparedRequest): [name: string, PreparedRequest][] => {
  const { operation, headers } = request;
  const { properties = {} } = resolved(document, operation.body?.content['application/json']?.schema ?? {});
  const closed = Object.entries(properties).filter(([, field]) => field.enum && !field.readOnly);
  return closed.map(([field]) => {
    const body = JSON.stringify({ ...(JSON.parse(request.body ?? '{}') as object), [field]: 'no-such-value' });
    return [field, { ...request, headers: { ...headers, accept: 'application/json' }, body }];
  });
};

/** Undefined if the request was refused with the name of the field. */
export const problemOfValue = (field: string, answer: GivenAnswer): string | undefined => {
  const { fields = [] } = (jsonOf(answer) ?? {}) as { fields?: { name: string }[] };
  return answer.status === 400 && fields.some((one) => one.name === field)
    ? undefined
    : `a value of ${field} that does not exist is not refused: ${answer.status} ${answer.text.slice(0, 300)}`;
};
