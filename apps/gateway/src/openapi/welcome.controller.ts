import { Public } from '@lanyard/service';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

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

/** `GET /`: a short page for people, the same links as JSON for programs. */
@ApiExcludeController()
@Public()
@Controller()
export class WelcomeController {
  @Get()
  show(@Headers('accept') accept: string | undefined, @Res() reply: FastifyReply): void {
    void reply.header('vary', 'Accept');
    if (!accept?.includes('text/html')) return void reply.send({ name: 'Lanyard', ...links });
    void reply.type('text/html; charset=utf-8').send(page);
  }
}
