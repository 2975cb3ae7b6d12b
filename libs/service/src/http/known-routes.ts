import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Routes that only pass requests on: which methods a path has is known behind them. */
    passesOn?: boolean;
  }
}

interface KnownRoute {
  segments: string[];
  methods: readonly string[];
}

/** `:name` stands for any segment, `*` at the end for all that follow. */
const fits = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.every((segment, n) => segment === '*' || (segment.startsWith(':') ? path[n] : path[n] === segment)) &&
  (pattern.length === path.length || (pattern.at(-1) === '*' && path.length > pattern.length));

const routesOf = new WeakMap<object, KnownRoute[]>();

/** Routes for every path (such as CORS has for OPTIONS) say nothing about a path. */
const isForAll = (segments: readonly string[]): boolean => segments.join('') === '*';

/** Remembers the routes of a service as they are made, for `allowedMethods`. */
export const knowRoutes = (fastify: FastifyInstance): void => {
  const routes: KnownRoute[] = [];
  routesOf.set(fastify.server, routes);
  fastify.addHook('onRoute', ({ url, method, config }) => {
    const segments = url.split('/').slice(1);
    if (!config?.passesOn && !isForAll(segments)) routes.push({ segments, methods: [method].flat() });
  });
};

/** What a path can be asked with; none: there is no such path. `path`: without query, slashes normalised. */
export const allowedMethods = ({ server }: Pick<FastifyInstance, 'server'>, path: string): string[] => {
  const segments = path.split('/').slice(1);
  const found = routesOf.get(server)?.filter((route) => fits(route.segments, segments)) ?? [];
  return [...new Set(found.flatMap(({ methods }) => methods))].sort();
};
