import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { allows, grantablePermissions, type Permission } from '@lanyard/contracts';
import { isLongRun } from '@lanyard/testing';
import { Application } from '../application.ts';
import { Client, type Dispatcher } from 'undici';
import { identityHeaders } from '../../tools/testing/customer.ts';
import { type RunningSystem, signingKeyOf } from '../system.ts';
import { fresh } from '../journeys.ts';
import { committedDocument } from '../openapi/document.ts';
import { spellingsOf } from './variants.ts';

interface Caller {
  name: string;
  permissions: readonly Permission[];
  key: string;
  keyId: string;
  accountId: string;
}

interface Asked {
  method: string;
  path: string;
  needs: string;
}

/** Calls whose answer waits after the caller was admitted, while the connection stays open. */
const isHeldOpen = ({ path }: Asked): boolean => /notification\/pull$|\/stream$/.test(path);

/** The dispatcher checks the key of a handshake, and answers with a close code. */
const isHandshake = (path: string): boolean => path.endsWith('/websocket-connect');

/** The operations of an OpenAPI document. */
const operationsOf = ({ paths }: { paths: object }): Asked[] =>
  Object.entries(paths as Record<string, Record<string, { 'x-permission'?: string }>>)
    .filter(([path]) => !isHandshake(path))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, { 'x-permission': needs = '' }]) => ({
        method: method.toUpperCase(),
        path,
        needs,
      })),
    );

/** Uses ids that do not exist: nothing is changed, and an admitted caller gets an answer other than 403. */
const exampleOf = (path: string): string =>
  path
    .replace(/\{(object|instance|resource|resourceInstance)\}/g, '1')
    .replace(/\{[^}]+\}/g, () => randomBytes(16).toString('hex'));

interface RawAnswer {
  status: number;
  text: string;
}

/** Whether the answer shows that no operation was reached. */
const isRefusal = ({ status, text }: RawAnswer): boolean =>
  status === 403 ||
  (status === 400 && /"name":"url"|is not HTTP\/1\.1/.test(text)) ||
  (status === 404 && text.includes('"No such path."')) ||
  (status === 405 && text.includes('"method_not_supported"'));

/** Whether a channel exists depends on the operations that run at the same time. */
const isOfChannel = ({ path }: Asked): boolean => path.startsWith('/v2/notification');

const isAsPlain = (operation: Asked, plain: RawAnswer, spelled: RawAnswer): boolean => {
  if (plain.status === 403) return isRefusal(spelled);
  const isSame = spelled.status === plain.status || (isOfChannel(operation) && spelled.status < 500);
  return isSame || (spelled.status >= 400 && spelled.status < 500);
};

/** Whether the key lacks the permission `needs`. */
const lacks = ({ permissions }: Caller, needs: string): boolean =>
  !['any-key', 'public'].includes(needs) && !allows(permissions, needs as Permission);

type Headers = (caller: Caller) => Record<string, string>;

/** How long a token is reused, as the gateway reuses its own. Shorter than `identityLifeMs`. */
const tokenForMs = 5_000;

/** Reuses the headers of a caller for `tokenForMs`. */
const keptFor = (headers: Headers): Headers => {
  const kept = new Map<Caller, { headers: Record<string, string>; untilMs: number }>();
  return (caller) => {
    const known = kept.get(caller);
    if (known && performance.now() < known.untilMs) return known.headers;
    const made = { headers: headers(caller), untilMs: performance.now() + tokenForMs };
    kept.set(caller, made);
    return made.headers;
  };
};

const connectionsMax = 8;
const answerTimeoutMs = 60_000;

/** Sends the target unchanged. A server that refuses it may end the connection: the request is then repeated on another. */
const answerOf = async (client: Client, request: Dispatcher.RequestOptions): Promise<RawAnswer> => {
  const send = async (): Promise<RawAnswer> => {
    const { statusCode: status, body } = await client.request(request);
    return { status, text: await body.text() };
  };
  return send().catch(send).catch(send);
};

/** Every case in which another spelling permits more than the plain one. */
const moreByAnotherSpelling = async (
  port: number,
  operations: readonly Asked[],
  callers: readonly Caller[],
  headers: Headers,
): Promise<{ sent: number; wrong: string[] }> => {
  const wrong: string[] = [];
  let [sent, next] = [0, 0];
  const work = async (): Promise<void> => {
    const client = new Client(`http://127.0.0.1:${port}`, { pipelining: 1, bodyTimeout: answerTimeoutMs });
    for (let operation = operations[next++]; operation; operation = operations[next++]) {
      const { method, path, needs } = operation;
      const plain = exampleOf(path);
      const able = callers.filter(
        ({ permissions }) => !isHeldOpen(operation) || !permissions.includes(needs as Permission),
      );
      const ask = (target: string): Promise<RawAnswer[]> => {
        sent += able.length;
        const request = (caller: Caller): Dispatcher.RequestOptions => ({
          ...{ method: method as Dispatcher.HttpMethod, path: target, headers: headers(caller) },
        });
        return Promise.all(able.map((caller) => answerOf(client, request(caller))));
      };
      const answers = await ask(plain);
      for (const [n, { status, text }] of answers.entries())
        if (lacks(able[n] as Caller, needs) && status !== 403)
          wrong.push(`${method} ${plain} with ${able[n]?.name}: ${status} ${text}, although it lacks ${needs}`);
      for (const target of spellingsOf(path, plain))
        for (const [n, spelled] of (await ask(target)).entries()) {
          const answer = answers[n] as RawAnswer;
          if (!isAsPlain(operation, answer, spelled))
            wrong.push(
              `${method} ${target} with ${able[n]?.name}: ${spelled.status} ${spelled.text}, plain ${answer.status}`,
            );
        }
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connectionsMax }, work));
  return { sent, wrong };
};

/** For a short run: the permissions that most operations need. */
const shortPermissions: readonly Permission[] = ['admin', 'devices.read'];

/** Every operation in every spelling. */
export const spellings = (system: () => RunningSystem): void => {
  let callers: Caller[];

  beforeAll(async () => {
    const { baseUrl, adminKey } = system();
    const root = new Application(baseUrl, adminKey);
    const { json: account } = await root.call('POST', '/v3/accounts', { display_name: fresh('spellings') });
    const admin = root.as(account.admin_key as string);
    const holder = async (permissions: readonly Permission[]): Promise<Caller> => {
      const name = permissions[0] ?? 'nothing';
      const { json: group } = await admin.call('POST', '/v3/policy-groups', { name: fresh(name), permissions });
      const { json } = await admin.call('POST', '/v3/api-keys', { name, groups: [group.id] });
      return { name, permissions, key: json.key as string, keyId: json.id as string, accountId: account.id as string };
    };
    const { json: me } = await root.call('GET', '/v3/api-keys/me');
    const single = isLongRun ? grantablePermissions.filter((permission) => permission !== 'devices') : shortPermissions;
    callers = [
      await holder([]),
      ...(await Promise.all(single.map((permission) => holder([permission])))),
      {
        name: 'administrator of the installation',
        permissions: [...grantablePermissions, 'installation'],
        key: adminKey,
        keyId: me.id as string,
        accountId: me.account_id as string,
      },
    ];
  });

  it('gives no key more rights than the plain spelling does, through the gateway', async () => {
    const { sent, wrong } = await moreByAnotherSpelling(
      Number(new URL(system().baseUrl).port),
      operationsOf(committedDocument()),
      callers,
      ({ key }) => ({ authorization: `Bearer ${key}`, accept: 'application/json' }),
    );
    expect(sent).toBeGreaterThan(isLongRun ? 20_000 : 5_000);
    expect(wrong).toEqual([]);
  }, 3_600_000);

  it.each(['registry', 'device-proxy', 'snapshot', 'event-log', 'dispatcher', 'campaigns'] as const)(
    'gives no key more rights than the plain spelling does, at the %s with the token of the gateway',
    async (app) => {
      const { port } = system().replicas.find((replica) => replica.app === app) ?? { port: 0 };
      const document = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as { paths: object };
      const signingKey = signingKeyOf(system().secrets);
      const headers = keptFor((caller) => {
        const held = { ...caller, permissions: [...caller.permissions] };
        return { ...identityHeaders(held, app, signingKey), accept: 'application/json' };
      });
      const { sent, wrong } = await moreByAnotherSpelling(port, operationsOf(document), callers, headers);
      expect(sent).toBeGreaterThan(isLongRun ? 300 : 100);
      expect(wrong).toEqual([]);
    },
    1_800_000,
  );
};
