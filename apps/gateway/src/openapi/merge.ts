import type { OpenAPIObject } from '@nestjs/swagger';

/** The document of one service; absent if the service could not be reached. */
export interface OwnDocument {
  upstream: string;
  document?: OpenAPIObject;
}

export type MergedDocument = OpenAPIObject & { 'x-unavailable'?: string[] };

type Schemas = Record<string, unknown>;
type PathItem = Record<string, { operationId?: string }>;

const reference = (name: string): string => `"#/components/schemas/${name}"`;

/** A schema name that is already in use for another schema gets the upstream's name as a prefix in the whole document. */
const withoutClashes = (document: OpenAPIObject, upstream: string, taken: Schemas): OpenAPIObject => {
  const own = (document.components?.schemas ?? {}) as Schemas;
  const clashing = Object.keys(own).filter(
    (name) => name in taken && JSON.stringify(taken[name]) !== JSON.stringify(own[name]),
  );
  if (clashing.length === 0) return document;
  const renamed = (name: string): string => (clashing.includes(name) ? `${upstream}.${name}` : name);
  let text = JSON.stringify(document);
  for (const name of clashing) text = text.replaceAll(reference(name), reference(renamed(name)));
  const copy = JSON.parse(text) as OpenAPIObject;
  const schemas = Object.entries((copy.components?.schemas ?? {}) as Schemas);
  return {
    ...copy,
    components: {
      ...copy.components,
      schemas: Object.fromEntries(schemas.map(([name, schema]) => [renamed(name), schema])),
    } as OpenAPIObject['components'],
  };
};

/** Operation ids are unique over all services. */
const ownOperationIds = (item: PathItem, upstream: string, taken: Set<string>): PathItem =>
  Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      const { operationId } = operation;
      if (operationId === undefined) return [method, operation];
      const unique = taken.has(operationId) ? `${upstream}_${operationId}` : operationId;
      taken.add(unique);
      return [method, { ...operation, operationId: unique }];
    }),
  );

/**
 * Merges documents: `first` provides title, security and servers; a service contributes only the paths that the proxy
 * routes to it (`owns`). Services without a document are listed in `x-unavailable`.
 */
export const mergeDocuments = (
  first: OpenAPIObject,
  others: readonly OwnDocument[],
  owns: (upstream: string, path: string) => boolean,
): MergedDocument => {
  const schemas: Schemas = { ...first.components?.schemas };
  const operationIds = new Set<string>();
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(first.paths))
    paths[path] = ownOperationIds(item as PathItem, 'gateway', operationIds);
  for (const { upstream, document } of others) {
    if (!document) continue;
    const own = withoutClashes(document, upstream, schemas);
    Object.assign(schemas, own.components?.schemas);
    for (const [path, item] of Object.entries(own.paths ?? {}))
      if (owns(upstream, path)) paths[path] = ownOperationIds(item as PathItem, upstream, operationIds);
  }
  const unavailable = others.filter(({ document }) => !document).map(({ upstream }) => upstream);
  return {
    ...first,
    paths: paths as OpenAPIObject['paths'],
    components: { ...first.components, schemas: schemas as NonNullable<OpenAPIObject['components']>['schemas'] },
    ...(unavailable.length > 0 && { 'x-unavailable': unavailable }),
  };
};
