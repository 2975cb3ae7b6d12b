import { type Document, type Operation, operationsOf, resolved, type Schema } from './document.ts';

type Read = (url: string) => Promise<{ status: number; json: Record<string, unknown> }>;

/** Filters of an operation by name; `filters` gathers them in one schema. */
const filtersOf = (document: Document, { parameters }: Operation): Record<string, Schema> => {
  const gathered = parameters.find(({ name, in: place }) => name === 'filters' && place === 'query');
  return gathered ? (resolved(document, gathered.schema).properties ?? {}) : {};
};

/** Lists whose paths need no id. */
const listsOf = (document: Document): Operation[] =>
  operationsOf(document).filter(({ method, path, parameters }) => {
    const has = (wanted: string): boolean => parameters.some(({ name }) => name === wanted);
    return method === 'GET' && !path.includes('{') && has('filters') && has('limit');
  });

const isOpenText = (filters: Record<string, Schema>, name: string): boolean =>
  !name.includes('__') &&
  filters[name]?.type === 'string' &&
  filters[name].enum === undefined &&
  `${name}__neq` in filters;

/** For each text filter of each list: the results of the filter and of its opposite are disjoint, and together the whole list. */
export const undividedLists = async (document: Document, read: Read): Promise<string[]> => {
  const problems: string[] = [];
  for (const operation of listsOf(document)) {
    const count = async (query: string): Promise<unknown> => {
      const { status, json } = await read(`${operation.path}?limit=2&include=total_count&${query}`);
      return status === 200 ? json['total_count'] : `${query}: ${status}`;
    };
    const all = await count('');
    const filters = filtersOf(document, operation);
    for (const name of Object.keys(filters).filter((one) => isOpenText(filters, one)))
      for (const [yes, no, value] of [
        ['eq', 'neq', ''],
        ['eq', 'neq', 'x'],
        ['in', 'nin', ''],
        ['in', 'nin', 'x,'],
        ['in', 'nin', 'x,y'],
      ]) {
        const found = [await count(`${name}__${yes}=${value}`), await count(`${name}__${no}=${value}`)];
        if (Number(found[0]) + Number(found[1]) !== all)
          problems.push(
            `${operation.path} ${name}__${yes} and __${no}=${value}: ${found.join(' and ')} of ${String(all)}`,
          );
      }
  }
  return problems;
};

/** A value outside a closed set is answered with 400 and its name, for every enum among the query parameters of lists. */
export const openSets = async (document: Document, read: Read): Promise<string[]> => {
  const problems: string[] = [];
  for (const operation of listsOf(document)) {
    const plain = operation.parameters.map(({ name, schema }): [string, Schema] => [name, schema]);
    const closed = [...plain, ...Object.entries(filtersOf(document, operation))].filter(([, schema]) => schema.enum);
    for (const [name] of closed) {
      const { status, json } = await read(`${operation.path}?${name}=no-such-value`);
      const fields = (json['fields'] ?? []) as { name: string }[];
      if (status !== 400 || fields[0]?.name !== name) problems.push(`${operation.path} ${name}: ${status}`);
    }
  }
  return problems;
};
