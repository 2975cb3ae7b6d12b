import type { FieldProblem } from '../errors/service-error.js';

export type Operator = 'eq' | 'neq' | 'in' | 'nin' | 'lte' | 'gte';

/** `text`, `bool`, `date`, `number` (whole, of 32 bits): decide the operators and how a value is read. */
export type FieldKind = 'text' | 'bool' | 'date' | 'number';

/** A date is its text as records show it, in UTC with six decimals. */
export type FilterValue = string | number | boolean;

/** All values that a field may have; of a text field that may have none, '' is one of them. */
export type ClosedSet = readonly (string | number)[];

export interface Filter {
  /** Field name, or `<map>.<key>` of a free key. */
  field: string;
  map?: string;
  key?: string;
  operator: Operator;
  /** One value, or several for `in` and `nin`. */
  values: FilterValue[];
}

/** The operators that each kind takes. */
export const operators: Record<FieldKind, readonly Operator[]> = {
  text: ['eq', 'neq', 'in', 'nin'],
  bool: ['eq', 'neq'],
  date: ['eq', 'in', 'nin', 'lte', 'gte'],
  number: ['eq', 'neq', 'in', 'nin', 'lte', 'gte'],
};

const kindNames: Record<FieldKind, string> = { text: 'text', bool: 'boolean', date: 'date', number: 'whole number' };

const suffix = /^(.+?)__(eq|neq|in|nin|lte|gte)$/;

const compactDate = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** PostgreSQL has no year 0. */
const wholeSeconds = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

const fraction = /:\d\d\.(\d{1,6})/;

/** A day; a time of it, with or without seconds and a fraction; and its zone. */
const dateTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** A Date turns the 30th of February into the 1st of March. */
const isDay = (day: string): boolean => {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};

/**
 * RFC 3339 with or without fraction, or compact `20240101T000000Z`; a plain date counts as its midnight, and a time without
 * a zone is UTC. A Date has only milliseconds, so the fraction is taken from the text.
 */
export const readDate = (text: string): string | undefined => {
  const iso = text.replace(compactDate, '$1-$2-$3T$4:$5:$6Z');
  const [, day, time = '00:00', zone = 'Z'] = dateTime.exec(iso) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const date = new Date(`${day}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(date.getTime())) return undefined;
  const [seconds] = wholeSeconds.exec(date.toISOString()) ?? [];
  return seconds && `${seconds}.${(fraction.exec(iso)?.[1] ?? '').padEnd(6, '0')}Z`;
};

/** What a column of integers can be compared with. */
const isInt32 = (value: number): boolean => value === (value | 0);

const readers: Record<FieldKind, (text: string) => FilterValue | undefined> = {
  text: (text) => text,
  // Clients write True as well.
  bool: (text) => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined),
  date: readDate,
  number: (text) => (text.trim() !== '' && isInt32(Number(text)) ? Number(text) : undefined),
};

interface FilterSpec {
  filters: Record<string, FieldKind>;
  maps?: readonly string[];
  sets?: Record<string, ClosedSet>;
}

interface Target {
  field: string;
  kind: FieldKind;
  map?: string;
  key?: string;
}

const target = (name: string, spec: FilterSpec): Target | undefined => {
  const kind = Object.hasOwn(spec.filters, name) ? spec.filters[name] : undefined;
  if (kind) return { field: name, kind };
  const map = spec.maps?.find((m) => name.startsWith(`${m}__`) && name.length > m.length + 2);
  return map ? { field: name.replace('__', '.'), kind: 'text', map, key: name.slice(map.length + 2) } : undefined;
};

/** The field and the operator in the name of a filter. A free key may be called like an operator: `custom_attributes__lte`. */
const divided = (name: string, spec: FilterSpec): [found: Target | undefined, operator: string] => {
  const [, base = name, operator = 'eq'] = suffix.exec(name) ?? [];
  return spec.maps?.includes(base) ? [target(name, spec), 'eq'] : [target(base, spec), operator];
};

const operatorTakesList = (operator: string): boolean => operator === 'in' || operator === 'nin';

const parseOne = (name: string, text: string, spec: FilterSpec): Filter | string => {
  // Packed filters are decoded once more than the URL, whose check found no NUL.
  if (name.includes('\0') || text.includes('\0')) return 'Must not hold a NUL character';
  const [found, operator] = divided(name, spec);
  if (!found) return 'Unknown filter';
  if (!operators[found.kind].includes(operator as Operator))
    return `Takes ${operators[found.kind].join(', ')}, not ${operator}`;
  const texts = operatorTakesList(operator) ? text.split(',') : [text];
  const values = texts.map(readers[found.kind]);
  if (values.some((value) => value === undefined)) return `"${text}" is no ${kindNames[found.kind]}`;
  const set = Object.hasOwn(spec.sets ?? {}, found.field) ? spec.sets?.[found.field] : undefined;
  if (set && values.some((value) => !(set as readonly unknown[]).includes(value)))
    return `Must be ${operatorTakesList(operator) ? 'some' : 'one'} of ${set.filter((one) => one !== '').join(', ')}`;
  return {
    field: found.field,
    ...(found.map !== undefined && { map: found.map, key: found.key }),
    operator: operator as Operator,
    values: values as FilterValue[],
  };
};

export const parseFilters = (
  pairs: readonly [string, string][],
  spec: FilterSpec,
  problems: FieldProblem[],
): Filter[] =>
  pairs.flatMap(([name, text]) => {
    const filter = parseOne(name, text, spec);
    if (typeof filter !== 'string') return filter;
    problems.push({ name, message: filter });
    return [];
  });

/** A condition for several values. The empty string means no value, so it matches NULL as well. */
const listCondition = (expression: string, isIn: boolean, hasEmpty: boolean, list: string): string => {
  if (isIn)
    return hasEmpty ? `(${expression} IS NULL OR ${expression} = ANY(${list}))` : `${expression} = ANY(${list})`;
  return hasEmpty ? `${expression} <> ALL(${list})` : `(${expression} IS NULL OR NOT ${expression} = ANY(${list}))`;
};

/**
 * SQL conditions for PostgreSQL. `columns`: field -> SQL expression; a map's expression is a jsonb column. Values go
 * to `parameters` (positional, appended), so nothing of a request becomes SQL text. Values of maps are text: equality
 * is tested as containment, which an index of the whole column answers. A field without a value and one with the empty
 * text are the same to every filter: both equal '', and both differ from anything else.
 */
export const filtersToSql = (
  filters: readonly Filter[],
  columns: Record<string, string>,
  parameters: unknown[],
): string[] =>
  filters.map((filter) => {
    const bind = (value: unknown): string => `$${parameters.push(value)}`;
    const column = columns[filter.map ?? filter.field];
    if (column === undefined) throw new Error(`no column for filter ${filter.field}`);
    const hasEmpty = filter.values.includes('');
    if (filter.map !== undefined && filter.operator === 'eq' && !hasEmpty)
      return `${column} @> jsonb_build_object(${bind(filter.key)}::text, ${bind(filter.values[0])}::text)`;
    const expression = filter.map === undefined ? column : `(${column} ->> ${bind(filter.key)})`;
    switch (filter.operator) {
      case 'eq':
        return hasEmpty ? `(${expression} IS NULL OR ${expression} = '')` : `${expression} = ${bind(filter.values[0])}`;
      case 'neq':
        return hasEmpty ? `${expression} <> ''` : `${expression} IS DISTINCT FROM ${bind(filter.values[0])}`;
      case 'in':
      case 'nin':
        return listCondition(expression, filter.operator === 'in', hasEmpty, bind(filter.values));
      case 'lte':
        return `${expression} <= ${bind(filter.values[0])}`;
      case 'gte':
        return `${expression} >= ${bind(filter.values[0])}`;
    }
  });
