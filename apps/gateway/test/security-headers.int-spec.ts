import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestSystem, type Reply } from './test-system.js';
import { Upstream } from './upstream.js';

interface Operation {
  responses: Record<string, unknown>;
}

/** The committed document is what the code says: tools/check-docs.ts. */
const { paths } = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.keys(item).map((method): [string, string] => [method.toUpperCase(), path.replace(/\{\w+\}/g, '0'.repeat(32))]),
);

const pagePolicy = ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"];

describe('headers that protect what an answer shows', () => {
  let gateway: TestSystem;
  let services: Upstream;

  beforeAll(async () => {
    services = await new Upstream().listen();
    const urls = ['REGISTRY', 'DEVICE_PROXY', 'SNAPSHOT', 'EVENT_LOG', 'DISPATCHER'].map(
      (upstream): [string, string] => [`GATEWAY_${upstream}_URLS`, services.url],
    );
    gateway = await (await TestSystem.corner('security-headers')).start(Object.fromEntries(urls));
  });
  afterAll(async () => {
    await gateway?.stop();
    await services?.stop();
  });

  const headersOf = ({ headers }: Reply): unknown => ({
    sniff: headers.get('x-content-type-options'),
    cache: headers.get('cache-control'),
  });
  const kept = { sniff: 'nosniff', cache: 'no-store' };

  it('no answer of any operation is sniffed or stored, whichever service answers and whatever the status', async () => {
    expect(operations.length).toBeGreaterThan(160);
    for (const [method, path] of operations)
      for (const key of [null, undefined]) {
        const reply = await gateway.call(path, { method, body: method === 'GET' ? undefined : {}, key });
        expect([method, path, reply.status, headersOf(reply)]).toEqual([method, path, expect.any(Number), kept]);
      }
  });

  it('answers that show a new key are not stored', async () => {
    const made = await gateway.call('/v3/api-keys', { method: 'POST', body: { name: 'shown' } });
    expect([made.status, headersOf(made)]).toEqual([201, kept]);
    for (const action of ['reset-secret', 'rotate']) {
      const shown = await gateway.call(`/v3/api-keys/${made.body.id}/${action}`, { method: 'POST', body: {} });
      expect([shown.status, headersOf(shown)]).toEqual([200, kept]);
    }
  });

  it.each(['/healthz', '/readyz', '/metrics', '/openapi.json', '/nothing', '/%zz'])(
    '%s is not sniffed',
    async (path) => {
      const { headers } = await gateway.call(path, { key: null });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it.each([
    ['of another version', 'GET / HTTP/9.9\r\n\r\n'],
    ['that is too long', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
  ])('nor is the answer to a request %s', async (_, text) => {
    const socket = connect(Number(new URL(gateway.service.url).port), '127.0.0.1');
    socket.setEncoding('utf8').end(text);
    let answer = '';
    socket.on('data', (chunk: string) => (answer += chunk));
    await once(socket, 'close');
    expect(answer.toLowerCase()).toContain('x-content-type-options: nosniff');
  });

  it.each(['/', '/docs', '/docs/', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js', '/docs/nothing'])(
    '%s loads nothing from elsewhere and is shown in no frame',
    async (path) => {
      const { headers } = await gateway.call(path, { key: null, headers: { accept: 'text/html' } });
      const policy = headers.get('content-security-policy')?.split('; ') ?? [];
      expect(policy).toEqual(expect.arrayContaining(pagePolicy));
      expect(policy.filter((directive) => directive.startsWith('script-src'))).toEqual(["script-src 'self'"]);
      expect([headers.get('x-content-type-options'), headers.get('x-frame-options')]).toEqual(['nosniff', 'DENY']);
    },
  );

  it('the pages have no script in their text, which the policy would refuse', async () => {
    for (const path of ['/', '/docs']) {
      const { text } = await gateway.call(path, { key: null, headers: { accept: 'text/html' } });
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/);
      expect(text).not.toMatch(/\son\w+=/);
    }
  });
});
