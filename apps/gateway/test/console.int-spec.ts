import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestSystem, type Reply } from './test-system.js';

const page =
  '<!doctype html><meta property="csp-nonce" nonce="{{csp-nonce}}"><script src="/console/assets/a-1.js"></script>';

/** As the build of the console lays them out. */
const builtConsole = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'lanyard-console-'));
  await mkdir(join(dir, 'assets'));
  await writeFile(join(dir, 'index.html'), page);
  await writeFile(join(dir, 'assets', 'a-1.js'), 'start()');
  await writeFile(join(dir, 'assets', 'a-1.js.gz'), 'compressed');
  return dir;
};

describe('the console', () => {
  let gateway: TestSystem;
  let dir: string;

  beforeAll(async () => {
    dir = await builtConsole();
    gateway = await (await TestSystem.corner('console')).start({ GATEWAY_CONSOLE_DIR: dir });
  });
  afterAll(async () => {
    await gateway?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const open = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    gateway.call(path, { key: null, headers: { accept: 'text/html', ...headers } });

  it.each(['/console', '/console/', '/console/devices', '/console/devices/0123?tab=events'])(
    'is one page, not cached, at %s',
    async (path) => {
      const { status, headers, text } = await open(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(text).toContain('/console/assets/a-1.js');
    },
  );

  it('lets nothing inline run, and styles with the nonce of this response only', async () => {
    const replies = [await open('/console'), await open('/console')];
    const nonces = replies.map(({ text }) => /nonce="([^"]+)"/.exec(text)?.[1]);
    expect(new Set(nonces).size).toBe(2);
    for (const [n, { headers }] of replies.entries()) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain(`style-src 'self' 'nonce-${nonces[n]}'`);
      expect(policy).toMatch(/default-src 'none'; script-src 'self';.*frame-ancestors 'none'/);
      expect(policy).not.toContain('unsafe');
      expect([headers.get('x-frame-options'), headers.get('referrer-policy')]).toEqual(['DENY', 'no-referrer']);
    }
  });

  it('has assets that browsers keep for a year, compressed for those that accept it', async () => {
    const plain = await open('/console/assets/a-1.js', { 'accept-encoding': 'identity' });
    expect([plain.status, plain.text]).toEqual([200, 'start()']);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
    const head = await gateway.call('/console/assets/a-1.js', {
      method: 'HEAD',
      key: null,
      headers: { 'accept-encoding': 'gzip' },
    });
    expect([head.headers.get('content-encoding'), head.headers.get('content-length')]).toEqual(['gzip', '10']);
  });

  it.each(['/console/assets/b-2.js', '/console/assets/..%2findex.html', '/consoles', '/devices'])(
    'does not answer %s',
    async (path) => {
      const { status, text } = await open(path);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain('csp-nonce');
    },
  );

  it('is where / leads a browser, and what it names to programs', async () => {
    const visit = await fetch(`${gateway.service.url}/`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([visit.status, visit.headers.get('location'), visit.headers.get('vary')]).toEqual([
      302,
      '/console',
      'Accept',
    ]);
    const { body } = await gateway.call('/', { key: null, headers: { accept: 'application/json' } });
    expect(body).toMatchObject({ name: 'Lanyard', console: '/console' });
  });

  it('is not there without its files, and / is a short page then', async () => {
    const without = await (await TestSystem.corner('no-console')).start({ GATEWAY_CONSOLE_DIR: join(dir, 'assets') });
    try {
      expect((await without.call('/console', { key: null })).status).toBe(404);
      const home = await without.call('/', { key: null, headers: { accept: 'text/html' } });
      expect([home.status, home.text]).toEqual([200, expect.stringContaining('/docs')]);
    } finally {
      await without.stop();
    }
  });
});
