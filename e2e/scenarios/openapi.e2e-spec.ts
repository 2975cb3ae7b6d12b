import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActions } from '@lanyard/contracts';
import { CallbackReceiver, certificateAuthority, eventually, thermometer } from '@lanyard/testing';
import { Application } from '../application.js';
import { type RunningSystem, startSystem } from '../constellation.js';
import { fresh } from '../journeys.js';
import { OpenApiBarrage } from '../openapi/barrage.js';
import { Callers } from '../openapi/callers.js';
import { committedDocument, operationsOf } from '../openapi/document.js';
import { KnownIds } from '../openapi/known-ids.js';
import { deeds, deedsOf } from '../openapi/deeds.js';
import { named, RecordLives, withoutSuccess } from '../openapi/lives.js';
import { exchange } from '../openapi/exchange.js';
import { prefilledRequests } from '../openapi/prefilled.js';
import { Trail } from '../openapi/trail.js';
import { openSets, undividedLists } from '../openapi/divided-lists.js';
import { Random } from '../openapi/random.js';
import { wrongMethodsTaken } from '../openapi/wrong-methods.js';
import { patienceMs } from '../patience.js';

/** Rounds over all operations, unless `npm run test:openapi` names a time. */
const rounds = 5;
/** So often an operation is tried before it counts as failed, however slow the machine is; it takes about seven. */
const passesMin = 30;
const seconds = Number(process.env['OPENAPI_SECONDS'] ?? 0);
const seed = Number(process.env['OPENAPI_SEED'] ?? (seconds > 0 ? Math.floor(Math.random() * 2 ** 31) : 1));

describe('the OpenAPI document', () => {
  let system: RunningSystem;
  let root: Application;
  let receiver: CallbackReceiver;
  let demo: ReturnType<typeof thermometer>;
  /** The key of the test, its account and its groups: the ground that the test stands on. */
  let me: { id: string; account_id: string; groups: string[] };

  beforeAll(async () => {
    system = await startSystem('openapi', { env: { GATEWAY_ATTEMPT_RATE_BURST: '100000' } });
    root = new Application(system.baseUrl, system.adminKey);
    receiver = await new CallbackReceiver().start();
    demo = thermometer({ name: fresh('generated'), server: system.coapUrls[0] as string });
    await demo.device.open();
    // 5.03 until the registry has told that the account exists.
    await eventually(() => demo.device.register());
    me = (await root.call('GET', '/v3/api-keys/me')).json;
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

  it('names a success for every operation but two', () => {
    expect(withoutSuccess(committedDocument())).toEqual([
      // A snapshot lives as long as its device.
      'DELETE /v3/devices/{deviceId}/echo',
      // 101: the other scenarios speak WebSocket.
      'GET /v2/notification/websocket-connect',
    ]);
  });

  it('answers GET / with a page for people and links for programs', async () => {
    const asked = async (accept: string): Promise<[number, string | null, string]> => {
      const response = await fetch(`${system.baseUrl}/`, { headers: { accept } });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    expect(await asked('text/html,*/*')).toEqual([200, 'text/html; charset=utf-8', expect.stringContaining('/docs')]);
    const [status, , text] = await asked('*/*');
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ openapi: '/openapi.json' })]);
  });

  it('begins to try every operation with a valid request', async () => {
    const refused: string[] = [];
    for (const request of prefilledRequests(committedDocument())) {
      const { status, text } = await exchange(system.baseUrl, system.adminKey, request);
      if (status === 400 || status === 405 || status > 499)
        refused.push(`${named(request.operation)}: ${status} ${text.slice(0, 200)}`);
    }
    expect(refused).toEqual([
      // Always 405: a snapshot lives as long as its device.
      expect.stringMatching('^DELETE /v3/devices/{deviceId}/echo: 405'),
      // The URL of the example belongs to no one.
      expect.stringMatching('^PUT /v2/notification/callback: 400 CALLBACK_NOT_VERIFIED'),
    ]);
  });

  it('says of every operation that changes something what the event log has of it, or why nothing', () => {
    const all = operationsOf(committedDocument()).map(named);
    const changing = all.filter((operation) => !operation.startsWith('GET ') || deedsOf(operation).length > 0);
    const odd = changing.filter((operation) => deedsOf(operation).length !== 1);
    expect(odd.map((operation) => [operation, deedsOf(operation)])).toEqual([]);
    expect(deeds.filter(({ operations }) => !all.some((operation) => operations.test(operation)))).toEqual([]);
    for (const { codes = [], why = '' } of deeds) expect(codes.length > 0).toBe(why === '');
    const known = new Set(deeds.flatMap(({ codes = [] }) => codes));
    expect(Object.keys(operatorActions).filter((code) => !known.has(code))).toEqual([]);
  });

  it(`has operations that all succeed with valid requests, answered as described, and told to the log (seed ${seed})`, async () => {
    const ends = new AbortController();
    const trail = await Trail.follow(root.lanyard, ends.signal);
    const authority = certificateAuthority('Generated CA');
    const lives = new RecordLives(
      committedDocument(),
      { baseUrl: system.baseUrl, key: root.key },
      new Random(seed),
      {
        accountId: me.account_id,
        deviceId: await root.deviceId(demo.device.name),
        untouchable: new Set([me.id, me.account_id, me.groups].flat()),
      },
      { url: [receiver.url], certificate: [authority.certificate], signature: [authority.prove(me.account_id)] },
      trail,
    );
    const until = Date.now() + patienceMs;
    const { sent, passes, failed, problems } = await lives.run((done) => done < passesMin || Date.now() < until);
    process.stderr.write(`openapi seed ${seed}: ${sent} valid requests in ${passes} passes\n`);
    ends.abort();
    expect([...failed, ...problems].join('\n\n')).toBe('');
    for (const operation of operationsOf(committedDocument()).map(named)) {
      const expected = deedsOf(operation).flatMap(({ codes = [], ofDevices = [] }) => [...codes, ...ofDevices]);
      const strange = trail.codesOf(operation).filter((code) => !expected.includes(code));
      expect([operation, strange]).toEqual([operation, []]);
    }
  }, 600_000);

  it('has paths that answer every other method with 405 and Allow', async () => {
    const taken = await wrongMethodsTaken(committedDocument(), async (method, path) => {
      const headers = { authorization: `Bearer ${root.key}` };
      const response = await fetch(root.baseUrl + path, { method, headers });
      return { status: response.status, allow: response.headers.get('allow'), text: await response.text() };
    });
    // A snapshot cannot be deleted: the document says so.
    expect(taken).toEqual([]);
  });

  it('has lists whose text filters divide them, and whose closed sets are closed', async () => {
    const read = (url: string): ReturnType<Application['call']> => root.call('GET', url);
    expect(await openSets(committedDocument(), read)).toEqual([]);
    // Entries of the event log that come meanwhile are counted once only.
    await eventually(async () => expect(await undividedLists(committedDocument(), read)).toEqual([]));
  }, 120_000);

  it(
    `holds whatever is asked: no error of the server, no hang, every answer as described (seed ${seed})`,
    async () => {
      const random = new Random(seed);
      const ground = new Set<string>([me.id, me.account_id, me.groups].flat());
      const known = (): KnownIds => new KnownIds((ids) => random.pick(ids), ground);
      const idsOf = { tenant: known(), developer: known(), root: known() };
      idsOf.developer.learn('/v3/devices', { id: await root.deviceId(demo.device.name) });
      const callers = new Callers(root, (role, untouchable) => {
        for (const id of untouchable) ground.add(id);
        if (role === 'tenant') idsOf.tenant.forget();
      });
      const barrage = new OpenApiBarrage(committedDocument(), system.baseUrl, callers, idsOf, random, {
        url: [receiver.url],
      });
      const until = Date.now() + seconds * 1_000;
      const { json: before } = await root.call('GET', '/v3/accounts/me');
      const result = await barrage.run((done) => (seconds > 0 ? Date.now() < until : done < rounds));
      process.stderr.write(
        `openapi seed ${seed}: ${JSON.stringify({ ...result, problems: result.problems.length })}\n`,
      );
      expect(result.problems.join('\n\n')).toBe('');
      // No request has touched the account that the test itself works with.
      expect((await root.call('GET', '/v3/accounts/me')).json).toEqual(before);
    },
    (seconds + 300) * 1_000,
  );
});
