import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from './content-policy.js';

export const consolePath = '/console';

/** What the build of the console writes where the nonce belongs (apps/console/vite.config.ts). */
const noncePlaceholder = '{{csp-nonce}}';

const pageFile = (dir: string): string => join(dir, 'index.html');

export const hasConsole = (dir: string): boolean => existsSync(pageFile(dir));

/**
 * The console: one page for every path below `/console`, which reads the rest from its URL, and assets whose names change
 * with their content. Without a built console these paths do not exist.
 */
export const serveConsole = async (app: NestFastifyApplication, dir: string): Promise<void> => {
  if (!hasConsole(dir)) return;
  const page = readFileSync(pageFile(dir), 'utf8');
  const show = (_: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .headers(pageHeaders(nonce))
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(noncePlaceholder, nonce));
  };
  await app.register(fastifyStatic, {
    root: join(dir, 'assets'),
    prefix: `${consolePath}/assets/`,
    decorateReply: false,
    immutable: true,
    index: false,
    maxAge: '365d',
    preCompressed: true,
  });
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get(consolePath, show);
  fastify.get(`${consolePath}/*`, show);
};
