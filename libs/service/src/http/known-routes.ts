import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Routes that only pass requests on: only the service behind them knows which methods a path has. */
    passesOn?: boolean;
  }
}

interface KnownRoute {
  segments: string[];
  methods: readonly string[];
}

/** `:name` matches any segment, `*` at the end all that follow. */
const fits = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.every((segment, n) => segment === '*' || (segment.startsWith(':') ? path[n] : path[n] === segment)) &&
  (pattern.length === path.length || (pattern.at(-1) === '*' && path.length > pattern.length));

const routesOf = new WeakMap<object, KnownRoute[]>();

/** Routes for every path (such as CORS has for OPTIONS) say nothing about a path. */
const isForAll = (segments: readonly string[]): boolean => segments.join('') === '*';

/** Remembers the routes of a service as they are made, for `isWrongMethod`. */
export const recordRoutes = (fastify: FastifyInstance): void => {
  const routes: KnownRoute[] = [];
  routesOf.set(fastify.server, routes);
  fastify.addHook('onRoute', ({ url, method, config }) => {
    const segments = url.split('/').slice(1);
    if (!config?.passesOn && !isForAll(segments)) routes.push({ segments, methods: [method].flat() });
  });
};

type RoutedRequest = Pick<FastifyRequest, 'server' | 'url' | 'method'>;

const methodsOf = ({ server, url }: RoutedRequest): Set<string> => {
  const segments = (url.split('?', 1)[0] as string).split('/').slice(1);
  const found = routesOf.get(server.server)?.filter((route) => fits(route.segments, segments)) ?? [];
  return new Set(found.flatMap(({ methods }) => methods));
};

/** The other methods that the path of a request has. */
export const otherMethods = (request: RoutedRequest): string[] =>
  [...methodsOf(request)].filter((method) => method !== request.method).sort();

/** Whether the path exists, but not with this method. False for a path without any methods, and for one that is too long. */
export const isWrongMethod = (request: RoutedRequest): boolean => {
  const methods = methodsOf(request);
  return methods.size > 0 && !methods.has(request.method);
};
