import { documentBuilder, documentOf } from '@lanyard/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Documents } from './documents.js';
import { withTags } from './tags.js';

/** The gateway's own part, with the title of the whole. */
export const ownDocument = (app: NestFastifyApplication, publicUrl?: string): OpenAPIObject =>
  documentOf(
    app,
    withTags(documentBuilder('Lanyard'))
      .setDescription('Devices, commands, subscriptions, notification channels, snapshots, event log and API keys.')
      .addServer(publicUrl ?? '/')
      .build(),
  );

/** `/openapi.json` for all services, and `/docs`, a page that shows it; its scripts come from this server. */
export const serveDocuments = (app: NestFastifyApplication, own: OpenAPIObject, documents: Documents): void => {
  // Every service serves its own document; the gateway serves the merged one in its place.
  const fastify = app.getHttpAdapter().getInstance();
  // Hooks run for every request: those that mostly do nothing create no promise.
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'GET' || request.url.split('?', 1)[0] !== '/openapi.json') return done();
    documents
      .jsonWith(own)
      .then((json) => void reply.type('application/json; charset=utf-8').send(json))
      .catch(done);
  });
  SwaggerModule.setup('docs', app, own, {
    customSiteTitle: 'Lanyard',
    raw: false,
    patchDocumentOnRequest: (() => documents.mergedWith(own)) as unknown as () => OpenAPIObject,
  });
};
