import { CONFIG, Public } from '@lanyard/service';
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { consolePath, hasConsole } from '../console/serve-console.js';

const links = { documentation: '/docs', openapi: '/openapi.json', readiness: '/readyz' } as const;

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Lanyard</title></head>
<body>
<h1>Lanyard</h1>
<p>Device connectivity service. Requests carry an API key: <code>Authorization: Bearer &lt;key&gt;</code>.</p>
<ul>
<li><a href="${links.documentation}">API documentation</a></li>
<li><a href="${links.openapi}">OpenAPI document</a></li>
<li><a href="${links.readiness}">Readiness</a></li>
</ul>
</body>
</html>
`;

/** `GET /`: links as JSON for programs; people are led to the console, or see a short page if there is none. */
@ApiExcludeController()
@Public()
@Controller()
export class WelcomeController {
  private readonly hasConsole: boolean;

  constructor(@Inject(CONFIG) { consoleDir }: GatewayConfig) {
    this.hasConsole = hasConsole(consoleDir);
  }

  @Get()
  show(@Headers('accept') accept: string | undefined, @Res() reply: FastifyReply): void {
    void reply.header('vary', 'Accept');
    const consoleLink = this.hasConsole && { console: consolePath };
    if (!accept?.includes('text/html')) return void reply.send({ name: 'Lanyard', ...consoleLink, ...links });
    if (this.hasConsole) return void reply.redirect(consolePath, 302);
    void reply.type('text/html; charset=utf-8').send(page);
  }
}
