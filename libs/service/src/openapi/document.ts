import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { completed } from './complete.js';

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const operationIdFactory = (controller: string, method: string): string =>
  `${lowerFirst(controller.replace(/Controller$/, ''))}_${method}`;

export const documentBuilder = (title: string): DocumentBuilder =>
  new DocumentBuilder()
    .setTitle(title)
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'API key', description: 'The whole API key' })
    .addSecurityRequirements('bearer');

/** The document of a container. */
export const documentOf = (app: NestFastifyApplication, head: Omit<OpenAPIObject, 'paths'>): OpenAPIObject =>
  completed(SwaggerModule.createDocument(app, head, { operationIdFactory }));

type JsonReply = { type(contentType: string): { send(body: string): void } };

/**
 * `GET /openapi.json`: each service documents what it owns, and the gateway merges the documents. It is made when it is
 * asked for the first time, which takes a tenth of a second that a start need not wait for.
 */
export const serveOpenApi = (app: NestFastifyApplication, title: string): void => {
  let text: string | undefined;
  app.getHttpAdapter().get('/openapi.json', (_request: unknown, reply: JsonReply) => {
    text ??= JSON.stringify(documentOf(app, documentBuilder(title).build()));
    reply.type('application/json').send(text);
  });
};
