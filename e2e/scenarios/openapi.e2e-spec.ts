import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActions } from '@lanyard/contracts';
import {
  CallbackReceiver,
  certificateAuthority,
  eventually,
  isLongRun,
  patienceMs,
  selfSigned,
} from '@lanyard/testing';
import { Application } from '../application.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { ApiFuzz } from '../openapi/api-fuzz.ts';
import { Callers } from '../openapi/callers.ts';
import { committedDocument, type Operation, operationsOf } from '../openapi/document.ts';
import { KnownIds } from '../openapi/known-ids.ts';
import { auditActions, auditActionsOf } from '../openapi/audit-actions.ts';
import { named, RecordLives, withoutSuccess } from '../openapi/lives.ts';
import { exchange } from '../openapi/exchange.ts';
import { isForInstallation, RunAccount } from '../openapi/run-account.ts';
import { prefilledRequests } from '../openapi/prefilled.ts';
import { Trail } from '../openapi/trail.ts';
import { openSets, undividedLists } from '../openapi/divided-lists.ts';
import { Random } from '../../tools/testing/random.ts';
import { wrongMethodsTaken } from '../openapi/wrong-methods.ts';

/** Rounds over all operations, unless `npm run test:openapi` names a time. */
const rounds = isLongRun ? 5 : 1;
/** So often an operation is tried before it counts as failed, however slow the machine is; it takes about seven. */
const passesMin = 30;
const seconds = Number(process.env['OPENAPI_SECONDS'] ?? 0);
const seed = Number(process.env['OPENAPI_SEED'] ?? (seconds > 0 ? Math.floor(Math.random() * 2 ** 31) : 1));

describe('the OpenAPI document', () => {
  let folder: string;
  let system: RunningSystem;
  let root: Application;
  let receiver: CallbackReceiver;
  let run: RunAccount;
  /** Of the installation and of the run: accounts, keys and groups that no request may name. */
  let untouchable: string[];
  /** The account of the installation and its usage, before the first request. */
  let before: unknown[];

  const keyFor = (operation: Pick<Operation, 'path'>): string =>
    isForInstallation(operation) ? root.key : run.admin.key;

  const installation = async (): Promise<unknown[]> => {
    const { json: account } = await root.call('GET', '/v3/accounts/me');
    const { json: usage } = await root.call('GET', '/v3/accounts/me/usage');
    // When the usage was counted.
    delete usage.created_at;
    return [account, usage];
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lanyard-openapi-'));
    const { certificate, privateKey } = selfSigned('localhost');
    writeFileSync(join(folder, 'server.crt'), certificate);
    writeFileSync(join(folder, 'server.key'), privateKey, { mode: 0o600 });
    system = await startSystem('openapi', {
      env: {
        GATEWAY_UNAUTHENTICATED_RATE_BURST: '100000',
        DEVICE_PROXY_COAP_TLS_CERTIFICATE_FILE: join(folder, 'server.crt'),
        DEVICE_PROXY_COAP_TLS_PRIVATE_KEY_FILE: join(folder, 'server.key'),
      },
    });
    root = new Application(system.baseUrl, system.adminKey);
    before = await installation();
    receiver = await new CallbackReceiver().start();
    run = await RunAccount.create(root, Number(new URL(system.coapsTcpUrls[0] as string).port));
    const { json: me } = await root.call('GET', '/v3/api-keys/me');
    untouchable = [me.id, me.account_id, ...me.groups, ...run.ids];
  });

  afterAll(async () => {
    await run?.close();
    await receiver?.stop();
    await system?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is served as it is committed', async () => {
    const { json } = await root.call('GET', '/openapi.json');
    expect({ ...json, servers: [] }).toEqual({ ...committedDocument(), servers: [] });
  });

  it('names a success for every operation but two', () => {
    expect(withoutSuccess(committedDocument())).toEqual([
      // It always answers 405.
      'DELETE /v3/devices/{deviceId}/echo',
      // 101: the other scenarios speak WebSocket.
      'GET /v2/notification/websocket-connect',
    ]);
  });

  it('answers GET / with the console for people and links for programs', async () => {
    const asked = async (accept: string): Promise<[number, string | null, string]> => {
      const response = await fetch(`${system.baseUrl}/`, { headers: { accept } });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    expect(await asked('text/html,*/*')).toEqual([
      200,
      'text/html; charset=utf-8',
      expect.stringContaining('Lanyard console'),
    ]);
    const [status, , text] = await asked('*/*');
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ openapi: '/openapi.json' })]);
  });

  it('begins to try every operation with a valid request', async () => {
    const refused: string[] = [];
    for (const request of prefilledRequests(committedDocument())) {
      const { status, text } = await exchange(system.baseUrl, keyFor(request.operation), request);
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
    const changing = all.filter((operation) => !operation.startsWith('GET ') || auditActionsOf(operation).length > 0);
    const odd = changing.filter((operation) => auditActionsOf(operation).length !== 1);
    expect(odd.map((operation) => [operation, auditActionsOf(operation)])).toEqual([]);
    expect(auditActions.filter(({ operations }) => !all.some((operation) => operations.test(operation)))).toEqual([]);
    for (const { codes = [], why = '' } of auditActions) expect(codes.length > 0).toBe(why === '');
    const known = new Set(auditActions.flatMap(({ codes = [] }) => codes));
    expect(Object.keys(operatorActions).filter((code) => !known.has(code))).toEqual([]);
  });

  it(`has operations that all succeed with valid requests, answered as described, and told to the log (seed ${seed})`, async () => {
    const ends = new AbortController();
    const trail = await Trail.follow(run.admin.lanyard, ends.signal);
    const authority = certificateAuthority('Generated CA');
    const lives = new RecordLives(
      committedDocument(),
      { baseUrl: system.baseUrl, keyFor },
      new Random(seed),
      {
        accountId: run.accountId,
        deviceId: run.deviceId,
        untouchable: new Set(untouchable),
      },
      {
        url: [receiver.url],
        certificate: [authority.certificate],
        signature: [authority.prove(run.accountId)],
        api_key: [run.admin.key],
        path: ['/3303/0/5700'],
      },
      trail,
    );
    const until = Date.now() + patienceMs;
    const { sent, passes, failed, problems } = await lives.run((done) => done < passesMin || Date.now() < until);
    process.stderr.write(`openapi seed ${seed}: ${sent} valid requests in ${passes} passes\n`);
    ends.abort();
    expect([...failed, ...problems].join('\n\n')).toBe('');
    for (const operation of operationsOf(committedDocument()).map(named)) {
      const expected = auditActionsOf(operation).flatMap(({ codes = [], ofDevices = [] }) => [...codes, ...ofDevices]);
      const strange = trail.codesOf(operation).filter((code) => !expected.includes(code));
      expect([operation, strange]).toEqual([operation, []]);
    }
  });

  it('has paths that answer every other method with 405 and Allow', async () => {
    const taken = await wrongMethodsTaken(committedDocument(), async (method, path) => {
      const headers = { authorization: `Bearer ${keyFor({ path })}` };
      const response = await fetch(root.baseUrl + path, { method, headers });
      return { status: response.status, allow: response.headers.get('allow'), text: await response.text() };
    });
    // A snapshot cannot be deleted: the document says so.
    expect(taken).toEqual([]);
  });

  it('has lists whose text filters divide them, and whose closed sets are closed', async () => {
    const read = (url: string): ReturnType<Application['call']> => root.as(keyFor({ path: url })).call('GET', url);
    expect(await openSets(committedDocument(), read)).toEqual([]);
    // Entries of the event log that come meanwhile are counted once only.
    await eventually(async () => expect(await undividedLists(committedDocument(), read)).toEqual([]));
  });

  it(
    `holds whatever is asked: no error of the server, no hang, every answer as described (seed ${seed})`,
    async () => {
      const random = new Random(seed);
      const ground = new Set(untouchable);
      const known = (): KnownIds => new KnownIds((ids) => random.pick(ids), ground);
      const idsOf = { tenant: known(), developer: known(), root: known() };
      idsOf.developer.learn('/v3/devices', { id: run.deviceId });
      const callers = new Callers(root, run.admin, (role, ids) => {
        for (const id of ids) ground.add(id);
        if (role === 'tenant') idsOf.tenant.forget();
      });
      const fuzz = new ApiFuzz(committedDocument(), system.baseUrl, callers, idsOf, random, {
        url: [receiver.url],
      });
      const until = Date.now() + seconds * 1_000;
      const result = await fuzz
        .run((done) => (seconds > 0 ? Date.now() < until : done < rounds))
        .finally(() => callers.close());
      process.stderr.write(
        `openapi seed ${seed}: ${JSON.stringify({ ...result, problems: result.problems.length })}\n`,
      );
      expect(result.problems.join('\n\n')).toBe('');
    },
    (seconds + 600) * 1_000,
  );

  it('leaves the account of the installation active, with the limits and the usage that it had', async () => {
    expect(before).toEqual([
      expect.objectContaining({ status: 'ACTIVE', limits: {} }),
      expect.objectContaining({ devices: { used: 0, limit: null } }),
    ]);
    expect(await installation()).toEqual(before);
  });
});
