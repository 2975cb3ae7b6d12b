import { PageNotFound } from '../errors/service-error.js';
import type { Filter } from './filters.js';
import { type ListEnvelope, listEnvelope, type ListQuery } from './list-query.js';

const matches = (record: object, { field, operator, values }: Filter): boolean => {
  const value = (record as Record<string, string>)[field] ?? '';
  const texts = values.map(String);
  // Times have one form in records and filters, so their texts sort chronologically.
  if (operator === 'lte') return value <= (texts[0] ?? '');
  if (operator === 'gte') return value >= (texts[0] ?? '');
  return texts.includes(value) === (operator === 'eq' || operator === 'in');
};

/** A page of constant records, whose filtered members are texts. Throws PageNotFound if `after` names none of them. */
export const pageOfConstants = <T extends object>(
  records: readonly T[],
  query: ListQuery,
  idOf: (record: T) => string,
): ListEnvelope<T> => {
  const { filters, after, order, includeTotal } = query;
  const ordered = order === 'ASC' ? records : records.toReversed();
  // `after` may name a record that the filters exclude.
  const start = after === null ? 0 : ordered.findIndex((record) => idOf(record) === after) + 1;
  if (after !== null && start === 0) throw new PageNotFound();
  const isFound = (record: T): boolean => filters.every((filter) => matches(record, filter));
  const total = includeTotal ? records.filter(isFound).length : undefined;
  return listEnvelope(ordered.slice(start).filter(isFound), query, total);
};
