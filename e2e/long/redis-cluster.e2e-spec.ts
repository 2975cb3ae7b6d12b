import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Application } from '../application.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { Flow } from '../flow.ts';
import { dataFolder } from '../../tools/lanyard/project.ts';
import { RedisCluster } from '../../tools/testing/redis-cluster.ts';

const devices = 6;

/** What a fail-over loses is read from Kafka again; each of three losses may bring that twice. */
const timesMax = 7;

describe('on a Redis cluster', () => {
  const folder = mkdtempSync(join(dataFolder(), 'redis-cluster-'));
  let cluster: RedisCluster;
  let system: RunningSystem;
  let app: Application;
  let flow: Flow;

  beforeAll(async () => {
    // A replica of the first master only.
    cluster = await RedisCluster.start(folder, 1);
    system = await startSystem('cluster', {
      without: ['event-log', 'campaigns'],
      redisUrl: cluster.url,
      env: { DEVICE_PROXY_REDIS_PREFIX: '{device-proxy}:' },
    });
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects({ cfg: { include_uid: true } });
    flow = await Flow.of(app, system.coapUrls[0] as string, devices);
  });

  afterAll(async () => {
    app?.closes();
    await flow?.close();
    await system?.stop();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('every value arrives, in order per device, though a replica takes over and each master is killed', async () => {
    flow.begin();
    await flow.waitForValues();
    const [replicated, ...others] = cluster.nodes.slice(0, 3);
    await replicated?.kill();
    await flow.waitForValues();
    await replicated?.start();
    for (const node of others) {
      await node.kill();
      await node.start();
      await flow.waitForValues();
    }
    await flow.end();
    await flow.expectAllReceived(timesMax);
    await flow.expectSnapshot();
  });
});
