import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { redis } from './lanyard/infrastructure-processes.ts';
import { apps, environment } from './lanyard/service-processes.ts';
import { secretsOf } from './lanyard/state.ts';
import { environmentProblems } from './manifests/environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-processes-'));
const cidrs = 'DISPATCHER_CALLBACK_ALLOW_CIDRS';
const clientSecret = 'GATEWAY_OIDC_CLIENT_SECRET';
const identities = 'REGISTRY_PSK_IDENTITIES_QUALIFIED';

const environmentOf = (app: (typeof apps)[number]): Record<string, string> =>
  environment(
    { app, name: `${app}-0`, port: 1, coapPort: 2, dtlsPort: 3, tlsPort: 3 },
    {
      replicas: apps.map((one, n) => ({ app: one, name: `${one}-0`, port: 10 + n })),
      infrastructure: { brokers: 'a:1', databaseUrl: 'postgres://a', redisUrl: 'redis://a' },
      secrets: secretsOf(folder),
      keyFile: join(folder, 'admin.key'),
      packagesFolder: join(folder, 'packages'),
      coapHost: '127.0.0.1',
      baseUrl: 'http://127.0.0.1:10',
    },
  );

describe('what npm start gives a service', () => {
  const original = [cidrs, clientSecret, identities].map((name) => [name, process.env[name]] as const);

  afterEach(() => {
    for (const [name, value] of original)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(apps)('%s starts with it, and is given no secret that it does not read', async (app) => {
    const ours = Object.entries(environmentOf(app)).filter(([name]) => /_URLS?$|KEY|SECRET|PASSWORD/.test(name));
    const needed = Object.entries(environmentOf(app)).filter(([name]) => /^(KAFKA|DEVICE_PROXY|CAMPAIGNS)_/.test(name));
    expect(await environmentProblems('npm start', app, Object.fromEntries([...ours, ...needed]))).toEqual([]);
  });

  it('allows callbacks to this machine, unless the operator names other networks', () => {
    delete process.env[cidrs];
    expect(environmentOf('dispatcher')[cidrs]).toBe('127.0.0.0/8,::1/128');
    process.env[cidrs] = '10.1.0.0/16';
    expect(environmentOf('dispatcher')[cidrs]).toBe('10.1.0.0/16');
  });

  it('contains the settings of the operator that are its own, and none of another service: they may be secrets', () => {
    process.env[clientSecret] = 'secret';
    process.env[identities] = 'false';
    expect(apps.filter((app) => clientSecret in environmentOf(app))).toEqual(['gateway']);
    expect(apps.filter((app) => identities in environmentOf(app))).toEqual(['registry']);
  });

  it('keeps others out of the folder of Redis, also one that was there before', () => {
    const data = join(folder, 'redis');
    mkdirSync(data, { recursive: true, mode: 0o755 });
    redis({ binaries: folder, data: folder, logs: folder, fast: true }, 1);
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });
});
