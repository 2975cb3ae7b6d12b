import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../identity/guard.js';
import { Health } from './health.js';
import { Metrics } from '../telemetry/metrics.js';

/** What the operator's tools ask for: whether the process is alive and ready for work, and its metrics. */
@ApiExcludeController()
@Public()
@Controller()
export class ProbesController {
  constructor(
    @Inject(Health) private readonly health: Health,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  @Get('healthz')
  alive(): { status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const readiness = await this.health.readiness();
    void reply.code(readiness.ready ? 200 : 503);
    return readiness;
  }

  @Get('metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const text = await this.metrics.registry.metrics();
    await reply.type(this.metrics.registry.contentType).send(text);
  }
}
