import { type Document, operationsOf } from './document.ts';
import type { PreparedRequest } from './exchange.ts';

/** The pairs of a parameter that is an object of filters, or its one value. */
const pairsOf = (name: string, value: unknown): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([key, each]) => [key, String(each)])
    : [[name, String(value)]];

const textOf = (example: unknown): string => (typeof example === 'string' ? example : JSON.stringify(example));

/** Every operation as "Try it out" on /docs sends it unchanged: with examples, or else defaults, and nothing more. */
export const prefilledRequests = (document: Document): PreparedRequest[] =>
  operationsOf(document).map((operation): PreparedRequest => {
    const prefilled = (place: string): [string, string][] =>
      operation.parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, example, schema }): [string, unknown] => [name, example ?? schema.default])
        .filter(([, value]) => value !== undefined)
        .flatMap(([name, value]) => pairsOf(name, value));
    const inPath = new Map(prefilled('path'));
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ''));
    const query = new URLSearchParams(prefilled('query')).toString();
    const [type, media] = Object.entries(operation.body?.content ?? {})[0] ?? [];
    return {
      operation,
      url: path + (query && `?${query}`),
      headers: type === undefined ? {} : { 'content-type': type },
      body: media?.example === undefined ? undefined : textOf(media.example),
    };
  });
