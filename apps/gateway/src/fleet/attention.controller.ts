import { attentionCountMax, type AttentionItem, type AttentionKind, attentionKinds } from '@lanyard/contracts';
import {
  Caller,
  CLOCK,
  type Clock,
  formatTimestamp,
  type Identity,
  type ListEnvelope,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { mustSeeAllDevices } from '../proxy/device-scopes.js';
import { routeOf } from '../proxy/routes.js';
import { type LeftOut, UpstreamClient } from '../proxy/upstream-client.js';
import { Attention } from './attention.js';

const itemsPerKind = 5;

/** Problems that need the attention of an operator, collected from the services that list them. */
@ApiTags('Attention')
@RequiresPermission('devices.read')
@Controller('v3/attention')
export class AttentionController {
  constructor(
    private readonly client: UpstreamClient,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    summary: 'Show what needs attention',
    description:
      'Shows lost subscriptions, stuck commands, failing channels and certificates that expire soon: their number, and the first of each kind. ' +
      '`left_out` names the services that the key may not ask and those that did not answer.',
    ok: Attention,
  })
  async show(@Caller() caller: Identity): Promise<Attention> {
    mustSeeAllDevices(caller);
    const leftOut: LeftOut = [];
    const kinds = await Promise.all(attentionKinds.map((kind) => this.itemsOfKind(kind, caller, leftOut)));
    return {
      object: 'attention',
      created_at: formatTimestamp(this.clock.now()),
      kinds: kinds.flatMap((kind) => kind ?? []),
      left_out: leftOut,
    };
  }

  private async itemsOfKind(
    kind: AttentionKind,
    caller: Identity,
    leftOut: LeftOut,
  ): Promise<Attention['kinds'][number] | undefined> {
    const path = `/v3/attention/${kind}`;
    const route = routeOf(path);
    if (!route) throw new Error(`no service lists ${kind}`);
    const { read, upstream } = route;
    const list = await this.client.getPart<ListEnvelope<AttentionItem>>(caller, {
      upstream,
      path: `${path}?limit=${itemsPerKind}&include=total_count`,
      needed: read,
      leftOut,
    });
    if (!list) return undefined;
    const total = list.total_count ?? list.data.length;
    return {
      kind,
      count: Math.min(total, attentionCountMax),
      count_is_exact: total <= attentionCountMax,
      data: list.data,
    };
  }
}
