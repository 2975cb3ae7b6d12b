import type { Clock, Metrics } from '@lanyard/service';
import type { OpenAPIObject } from '@nestjs/swagger';
import { forward } from '../door/forward.js';
import type { Replicas } from '../door/replicas.js';
import { routeOf } from '../door/routes.js';
import { type MergedDocument, mergeDocuments, type OwnDocument } from './merge.js';

const cachedMs = 30_000;
const fetchTimeoutMs = 3_000;

/** The OpenAPI document of everything behind the door, put together from what each service says of itself. */
export class Documents {
  private cached: { document: Promise<MergedDocument>; untilMs: number } | undefined;

  constructor(
    private readonly own: OpenAPIObject,
    private readonly owners: readonly Replicas[],
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  merged(): Promise<MergedDocument> {
    const now = this.clock.now();
    if (!this.cached || this.cached.untilMs <= now) this.cached = { document: this.merge(), untilMs: now + cachedMs };
    return this.cached.document;
  }

  private async merge(): Promise<MergedDocument> {
    const others = await Promise.all(this.owners.map((replicas) => this.fetch(replicas)));
    return mergeDocuments(this.own, others, (owner, path) => routeOf(path)?.owner === owner);
  }

  private async fetch(replicas: Replicas): Promise<OwnDocument> {
    const { owner } = replicas;
    const body = { open: () => null, repeatable: () => true };
    const signal = AbortSignal.timeout(fetchTimeoutMs);
    const call = { method: 'GET', path: '/openapi.json', headers: { accept: 'application/json' }, body, signal };
    try {
      const answer = await forward(replicas, call, this.metrics);
      if (answer.statusCode === 200) return { owner, document: (await answer.body.json()) as OpenAPIObject };
      await answer.body.dump();
      return { owner };
    } catch {
      // Named in x-unavailable; counted by forward.
      return { owner };
    }
  }
}
