import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Documents } from './documents.js';

/** The gateway's own part, with the title of the whole. */
export const ownDocument = (app: NestFastifyApplication, publicUrl: string | undefined): OpenAPIObject =>
  SwaggerModule.createDocument(
    app,
    new DocumentBuilder()
      .setTitle('Lanyard')
      .setDescription('Devices, commands, subscriptions, notification channels, snapshots, event log and API keys.')
      .setVersion('1')
      .setOpenAPIVersion('3.1.0')
      .addServer(publicUrl ?? '/')
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key' })
      .addSecurityRequirements('bearer')
      .build(),
  );

/** `/openapi.json` for all services, and `/docs`, a page that shows it; its scripts come from this server. */
export const serveDocuments = (app: NestFastifyApplication, own: OpenAPIObject, documents: Documents): void => {
  // Every service has a route for its own document; here the merged one answers in its place.
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', async (request, reply) => {
      if (request.method === 'GET' && request.url.split('?', 1)[0] === '/openapi.json')
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(await documents.merged()));
    });
  SwaggerModule.setup('docs', app, own, {
    customSiteTitle: 'Lanyard',
    raw: false,
    patchDocumentOnRequest: (() => documents.merged()) as unknown as () => OpenAPIObject,
  });
};
