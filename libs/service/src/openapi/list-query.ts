import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { callerOf } from '../identity/guard.js';
import type { Identity } from '../identity/token.js';
import { type ClosedSet, type FieldKind, operators } from '../list/filters.js';
import { listLimit, type ListQuery, type ListSpec, parseListQuery, type QueryParameters } from '../list/list-query.js';
import type { JsonSchema } from './document-types.js';

const valueOf: Record<FieldKind, JsonSchema> = {
  text: { type: 'string' },
  bool: { type: 'boolean' },
  number: { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 },
  date: { type: 'string', description: 'RFC 3339, in UTC if it has no zone, or compact as 20240101T000000Z' },
};

const commaList: JsonSchema = { type: 'string', description: 'Comma-separated values' };

/** Clients send the values of a closed set alone; several of them with commas between. */
const schemaOf = (kind: FieldKind, set: ClosedSet | undefined): JsonSchema =>
  set ? { type: valueOf[kind].type, enum: [...set] } : valueOf[kind];

const propertiesOf = (field: string, kind: FieldKind, set?: ClosedSet): [string, JsonSchema][] => [
  [field, schemaOf(kind, set)],
  ...operators[kind].map((operator): [string, JsonSchema] => [
    `${field}__${operator}`,
    operator === 'in' || operator === 'nin' ? commaList : schemaOf(kind, set),
  ]),
];

const filtersSchema = (spec: ListSpec, title: string): JsonSchema => ({
  title,
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(spec.filters).flatMap(([field, kind]) => propertiesOf(field, kind, spec.sets?.[field])),
  ),
  ...(spec.maps && {
    patternProperties: Object.fromEntries(spec.maps.map((map) => [`^${map}__.+$`, { type: 'string' }])),
  }),
  additionalProperties: false,
});

/** Documents the filters of `spec`: each as a parameter of its own, gathered in the schema `title`, and all packed. */
export const ApiFilters = (spec: ListSpec, title: string): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiQuery({ name: 'filters', required: false, style: 'form', explode: true, schema: filtersSchema(spec, title) }),
    ApiQuery({
      name: 'filter',
      required: false,
      schema: { type: 'string' },
      description:
        'Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match',
    }),
  );

/**
 * Documents what parseListQuery reads with the same spec: limit, after, order, include and the filters. `title`: name
 * for the schema of the filters, when there are any.
 */
export const ApiListQuery = (spec: ListSpec, title?: string): MethodDecorator & ClassDecorator => {
  const { defaultLimit = listLimit.default, defaultOrder = 'ASC' } = spec;
  const limits =
    `Size of a page: ${listLimit.min} to ${listLimit.max}; values outside are moved to the nearest bound. ` +
    'A page of large items has fewer: `has_more` says whether more follow';
  return applyDecorators(
    ...(title === undefined ? [] : [ApiFilters(spec, title)]),
    ApiQuery({
      name: 'include',
      required: false,
      schema: { type: 'string' },
      description: '`total_count` adds the number of items on all pages',
    }),
    ApiQuery({
      name: 'order',
      required: false,
      schema: { type: 'string', enum: ['ASC', 'DESC'], default: defaultOrder },
    }),
    ApiQuery({
      name: 'after',
      required: false,
      schema: { type: 'string' },
      description: 'Id of the last item of the previous page; the item may have been deleted since',
    }),
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', default: defaultLimit },
      description: limits,
    }),
  );
};

/** The query of a list, and its caller. */
export interface ListRequest extends ListQuery {
  caller: Identity;
}

const Parsed = createParamDecorator((spec: ListSpec, context: ExecutionContext): ListRequest => {
  const { query } = context.switchToHttp().getRequest<{ query: QueryParameters }>();
  return { ...parseListQuery(query, spec), caller: callerOf(context) };
});

/** Parameter of a controller method: the ListRequest, read and documented by the same `spec`. */
export const ListParameters =
  (spec: ListSpec, title?: string): ParameterDecorator =>
  (controller, method, index) => {
    const key = method as string;
    ApiListQuery(spec, title)(controller, key, Object.getOwnPropertyDescriptor(controller, key) as PropertyDescriptor);
    Parsed(spec)(controller, key, index);
  };
