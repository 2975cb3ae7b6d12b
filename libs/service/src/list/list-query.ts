import { type FieldProblem, PageNotFound, ValidationFailed } from '../errors/service-error.js';
import { JsonText } from '../http/json-text.js';
import { decodesToUtf8 } from '../http/text.js';
import { type ClosedSet, type FieldKind, type Filter, parseFilters } from './filters.js';

/** Bounds of `limit`: values outside are moved to the nearest bound. */
export const listLimit = { min: 2, max: 1000, default: 50 } as const;

export interface ListSpec {
  /** Field -> kind. A kind decides which operators the field takes. */
  filters: Record<string, FieldKind>;
  /** Prefixes of free keys, for example `custom_attributes`. */
  maps?: readonly string[];
  /** Fields whose values are known: a filter with any other is refused. */
  sets?: Record<string, ClosedSet>;
  /** What `after` may be; default: an id. */
  cursor?: RegExp;
  defaultOrder?: 'ASC' | 'DESC';
  defaultLimit?: number;
  /** Query parameters of the operation that are no filters. */
  ignore?: readonly string[];
}

export interface ListQuery {
  limit: number;
  /** Id of the last item of the previous page, which may be deleted by now. */
  after: string | null;
  order: 'ASC' | 'DESC';
  includeTotal: boolean;
  filters: Filter[];
}

export type QueryParameters = Record<string, string | string[] | undefined>;

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

const parseLimit = (text: string | undefined, fallback: number, problems: FieldProblem[]): number => {
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value)) {
    problems.push({ name: 'limit', message: 'Must be a whole number' });
    return fallback;
  }
  return Math.min(listLimit.max, Math.max(listLimit.min, value));
};

const parseOrder = (text: string | undefined, fallback: 'ASC' | 'DESC', problems: FieldProblem[]): 'ASC' | 'DESC' => {
  const order = (text || fallback).toUpperCase();
  if (order === 'ASC' || order === 'DESC') return order;
  problems.push({ name: 'order', message: 'Must be ASC or DESC' });
  return fallback;
};

const idPattern = /^[0-9a-f]{32}$/;

const reserved = ['limit', 'after', 'order', 'include', 'filter'];

/** Clients write `name=value` unencoded and encode the whole once, so a plus in it is a plus and not a space. */
const unpacked = (packed: string): [string, string][] => [...new URLSearchParams(packed.replaceAll('+', '%2B'))];

/** Both filter spellings: parameters of their own, and all packed into `filter=`. */
const filterPairs = (query: QueryParameters, ignore: readonly string[]): [string, string][] => {
  const direct = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    reserved.includes(name) || ignore.includes(name) || value === undefined ? [] : [value].flat().map((v) => [name, v]),
  );
  return [...direct, ...[query.filter ?? []].flat().flatMap(unpacked)];
};

/**
 * Reads limit, after, order, include and the filters of a list call. Unknown `include` values are ignored.
 * Throws ValidationFailed naming each wrong parameter, PageNotFound when `after` is no id.
 */
export const parseListQuery = (query: QueryParameters, spec: ListSpec): ListQuery => {
  const problems: FieldProblem[] = [];
  const limit = parseLimit(single(query.limit), spec.defaultLimit ?? listLimit.default, problems);
  const order = parseOrder(single(query.order), spec.defaultOrder ?? 'ASC', problems);
  if ([query.filter ?? []].flat().some((packed) => !decodesToUtf8(packed)))
    problems.push({ name: 'filter', message: 'Must be percent-encoded UTF-8' });
  const filters = parseFilters(filterPairs(query, spec.ignore ?? []), spec, problems);
  if (problems.length > 0) throw new ValidationFailed(problems);
  const after = single(query.after) || null;
  if (after !== null && !(spec.cursor ?? idPattern).test(after)) throw new PageNotFound();
  const include = [query.include ?? []].flat().flatMap((list) => list.split(',').map((entry) => entry.trim()));
  return { limit, after, order, includeTotal: include.includes('total_count'), filters };
};

export interface ListEnvelope<T> {
  object: 'list';
  data: T[];
  limit: number;
  after: string | null;
  order: 'ASC' | 'DESC';
  has_more: boolean;
  total_count?: number;
}

/** Spec §2.6. `rows` has up to `limit` + 1 rows: the extra row means that more follow. `hasMore`: given for a page that was cut. */
export const listEnvelope = <T>(
  rows: readonly T[],
  query: Pick<ListQuery, 'limit' | 'after' | 'order'>,
  totalCount?: number,
  hasMore = rows.length > query.limit,
): ListEnvelope<T> => ({
  object: 'list',
  data: rows.slice(0, query.limit),
  limit: query.limit,
  after: query.after,
  order: query.order,
  has_more: hasMore,
  ...(totalCount !== undefined && { total_count: totalCount }),
});

/** The same for a page of records that are JSON text already. */
export const listText = (
  page: readonly string[],
  hasMore: boolean,
  { limit, after, order }: Pick<ListQuery, 'limit' | 'after' | 'order'>,
  totalCount?: number,
): JsonText => {
  const total = totalCount === undefined ? '' : `,"total_count":${totalCount}`;
  return new JsonText(
    `{"object":"list","data":[${page.join(',')}],"limit":${limit},"after":${JSON.stringify(after)},"order":"${order}","has_more":${hasMore}${total}}`,
  );
};
