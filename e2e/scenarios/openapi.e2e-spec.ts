import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver, thermometer } from '@lanyard/testing';
import { Application } from '../application.js';
import { type RunningSystem, startSystem } from '../constellation.js';
import { fresh } from '../journeys.js';
import { OpenApiBarrage } from '../openapi/barrage.js';
import { Callers } from '../openapi/callers.js';
import { committedDocument } from '../openapi/document.js';
import { KnownIds } from '../openapi/known-ids.js';
import { Random } from '../openapi/random.js';

/** Rounds over all operations, unless `npm run test:openapi` names a time. */
const rounds = 5;
const seconds = Number(process.env['OPENAPI_SECONDS'] ?? 0);
const seed = Number(process.env['OPENAPI_SEED'] ?? (seconds > 0 ? Math.floor(Math.random() * 2 ** 31) : 1));

describe('the OpenAPI document', () => {
  let system: RunningSystem;
  let root: Application;
  let receiver: CallbackReceiver;
  let demo: ReturnType<typeof thermometer>;

  beforeAll(async () => {
    system = await startSystem('openapi', { env: { GATEWAY_ATTEMPT_RATE_BURST: '100000' } });
    root = new Application(system.baseUrl, system.adminKey);
    receiver = await new CallbackReceiver().start();
    demo = thermometer({ name: fresh('generated'), server: system.coapUrls[0] as string });
    await demo.device.open();
    await demo.device.register();
  });

  afterAll(async () => {
    await demo?.device.close();
    await receiver?.stop();
    await system?.stop();
  });

  it('is served as it is committed', async () => {
    const { json } = await root.call('GET', '/openapi.json');
    expect({ ...json, servers: [] }).toEqual({ ...committedDocument(), servers: [] });
  });

  it(
    `holds whatever is asked: no error of the server, no hang, every answer as described (seed ${seed})`,
    async () => {
      const random = new Random(seed);
      const me = (await root.call('GET', '/v3/api-keys/me')).json;
      const ground = new Set<string>([me.id, me.account_id, me.groups].flat());
      const idsOf = {
        tenant: new KnownIds(random, ground),
        developer: new KnownIds(random, ground),
        root: new KnownIds(random, ground),
      };
      idsOf.developer.learn('/v3/devices', { id: await root.deviceId(demo.device.name) });
      const callers = new Callers(root, (role, untouchable) => {
        for (const id of untouchable) ground.add(id);
        if (role === 'tenant') idsOf.tenant.forget();
      });
      const barrage = new OpenApiBarrage(committedDocument(), system.baseUrl, callers, idsOf, random, {
        url: [receiver.url],
      });
      const until = Date.now() + seconds * 1_000;
      const result = await barrage.run((done) => (seconds > 0 ? Date.now() < until : done < rounds));
      process.stderr.write(
        `openapi seed ${seed}: ${JSON.stringify({ ...result, problems: result.problems.length })}\n`,
      );
      expect(result.problems.join('\n\n')).toBe('');
    },
    (seconds + 300) * 1_000,
  );
});
