import { CLOCK, type Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { routeOf } from '../proxy/routes.js';
import { UpstreamCalls } from '../proxy/upstream-calls.js';
import { type Upstream, upstreams } from '../upstreams.js';
import { type MergedDocument, mergeDocuments, type OwnDocument } from './merge.js';

const cachedMs = 30_000;
const fetchTimeoutMs = 3_000;

interface Merged {
  own: OpenAPIObject;
  document: Promise<MergedDocument>;
  /** Created by the first request for it, which awaits it, so that a failure is no unhandled rejection. */
  json?: Promise<Buffer>;
  madeAtMs: number;
}

/** The OpenAPI document of all services, merged from the document of each. */
@Injectable()
export class Documents {
  private last: Merged | undefined;

  constructor(
    private readonly calls: UpstreamCalls,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** `own`: the document of the gateway, which comes first. */
  mergedWith(own: OpenAPIObject): Promise<MergedDocument> {
    return this.current(own).document;
  }

  /** The same document as JSON: the responses share it, so that slow clients, which need no key, take no memory. */
  jsonWith(own: OpenAPIObject): Promise<Buffer> {
    const current = this.current(own);
    return (current.json ??= current.document.then((merged) => Buffer.from(JSON.stringify(merged))));
  }

  private current(own: OpenAPIObject): Merged {
    const now = this.clock.now();
    // The absolute difference, so that the document is not reused for longer when the clock is set back.
    if (this.last?.own === own && Math.abs(now - this.last.madeAtMs) < cachedMs) return this.last;
    return (this.last = { own, document: this.merge(own), madeAtMs: now });
  }

  private async merge(own: OpenAPIObject): Promise<MergedDocument> {
    const others = await Promise.all(upstreams.map((upstream) => this.fetch(upstream)));
    return mergeDocuments(own, others, (upstream, path) => routeOf(path)?.upstream === upstream);
  }

  private async fetch(upstream: Upstream): Promise<OwnDocument> {
    try {
      const response = await this.calls.get(upstream, '/openapi.json', fetchTimeoutMs);
      if (response.statusCode === 200) return { upstream, document: (await response.body.json()) as OpenAPIObject };
      await response.body.dump();
      return { upstream };
    } catch {
      // Named in x-unavailable; counted by UpstreamCalls.
      return { upstream };
    }
  }
}
