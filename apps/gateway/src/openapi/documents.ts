import type { Clock, Metrics } from '@lanyard/service';
import type { OpenAPIObject } from '@nestjs/swagger';
import { forward } from '../proxy/forward.js';
import type { Replicas } from '../proxy/replicas.js';
import { routeOf } from '../proxy/routes.js';
import { type MergedDocument, mergeDocuments, type OwnDocument } from './merge.js';

const cachedMs = 30_000;
const fetchTimeoutMs = 3_000;

/** The OpenAPI document of all services, merged from the document of each. */
export class Documents {
  private cached: { document: Promise<MergedDocument>; untilMs: number } | undefined;

  constructor(
    private readonly own: OpenAPIObject,
    private readonly upstreams: readonly Replicas[],
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  merged(): Promise<MergedDocument> {
    const now = this.clock.now();
    if (!this.cached || this.cached.untilMs <= now) this.cached = { document: this.merge(), untilMs: now + cachedMs };
    return this.cached.document;
  }

  private async merge(): Promise<MergedDocument> {
    const others = await Promise.all(this.upstreams.map((replicas) => this.fetch(replicas)));
    return mergeDocuments(this.own, others, (upstream, path) => routeOf(path)?.upstream === upstream);
  }

  private async fetch(replicas: Replicas): Promise<OwnDocument> {
    const { upstream } = replicas;
    const body = { open: () => null, repeatable: () => true };
    const signal = AbortSignal.timeout(fetchTimeoutMs);
    const call = { method: 'GET', path: '/openapi.json', headers: { accept: 'application/json' }, body, signal };
    try {
      const answer = await forward(replicas, call, this.metrics);
      if (answer.statusCode === 200) return { upstream, document: (await answer.body.json()) as OpenAPIObject };
      await answer.body.dump();
      return { upstream };
    } catch {
      // Named in x-unavailable; counted by forward.
      return { upstream };
    }
  }
}
