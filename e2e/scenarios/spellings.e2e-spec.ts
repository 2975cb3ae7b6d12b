import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allows, grantablePermissions, type Permission } from '@lanyard/contracts';
import { identityHeader, signIdentity } from '@lanyard/service';
import { Application } from '../application.ts';
import { type RunningSystem, signingKeyOf, startSystem } from '../system.ts';
import { fresh } from '../journeys.ts';
import { committedDocument } from '../openapi/document.ts';
import { spellingsOf } from '../openapi/spellings.ts';
import { type RawAnswer, RawConnection } from '../raw-http.ts';

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

/** Answered only after the caller was let in, with a connection that stays open. */
const isHeldOpen = ({ path }: Asked): boolean => /notification\/pull$|\/stream$/.test(path);

/** The key of a handshake is checked by the dispatcher, which answers with a close code. */
const isHandshake = (path: string): boolean => path.endsWith('/websocket-connect');

/** Of an OpenAPI document. */
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

/** With ids that exist nowhere: nothing is changed, and a caller that is let in gets another answer than 403. */
const exampleOf = (path: string): string =>
  path
    .replace(/\{(object|instance|resource|resourceInstance)\}/g, '1')
    .replace(/\{[^}]+\}/g, () => randomBytes(16).toString('hex'));

/** That no operation was reached. */
const isRefusal = ({ status, text }: RawAnswer): boolean =>
  status === 403 ||
  (status === 400 && /"name":"url"|is not HTTP\/1\.1/.test(text)) ||
  (status === 404 && text.includes('"No such path."')) ||
  (status === 405 && text.includes('"method_not_supported"'));

/** Whether a channel is there depends on the operations beside it. */
const isOfChannel = ({ path }: Asked): boolean => path.startsWith('/v2/notification');

const isAsPlain = (operation: Asked, plain: RawAnswer, spelled: RawAnswer): boolean => {
  if (plain.status === 403) return isRefusal(spelled);
  const isSame = spelled.status === plain.status || (isOfChannel(operation) && spelled.status < 500);
  return isSame || (spelled.status >= 400 && spelled.status < 500);
};

/** Whether the key may not call an operation that needs this. */
const lacks = ({ permissions }: Caller, needs: string): boolean =>
  !['any-key', 'public'].includes(needs) && !allows(permissions, needs as Permission);

type Headers = (caller: Caller) => Record<string, string>;

const connectionsMax = 8;

/** Every way to get more by another spelling than by the plain one. */
const moreByAnotherSpelling = async (
  port: number,
  asked: readonly Asked[],
  callers: readonly Caller[],
  headers: Headers,
): Promise<{ sent: number; wrong: string[] }> => {
  const wrong: string[] = [];
  let [sent, next] = [0, 0];
  const work = async (): Promise<void> => {
    const connection = new RawConnection(port);
    for (let operation = asked[next++]; operation; operation = asked[next++]) {
      const { method, path, needs } = operation;
      const plain = exampleOf(path);
      const able = callers.filter(
        ({ permissions }) => !isHeldOpen(operation) || !permissions.includes(needs as Permission),
      );
      const ask = (target: string): Promise<RawAnswer[]> => {
        sent += able.length;
        return connection.send(able.map((caller) => ({ method, target, headers: headers(caller) })));
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
    connection.close();
  };
  await Promise.all(Array.from({ length: connectionsMax }, work));
  return { sent, wrong };
};

describe('every operation in every spelling, over a raw connection', () => {
  let system: RunningSystem;
  let callers: Caller[];

  beforeAll(async () => {
    const rates = ['KEY', 'ACCOUNT'].flatMap((name) => [
      `GATEWAY_${name}_RATE_PER_SECOND`,
      `GATEWAY_${name}_RATE_BURST`,
    ]);
    system = await startSystem('spellings', { env: Object.fromEntries(rates.map((name) => [name, '1000000'])) });
    const root = new Application(system.baseUrl, system.adminKey);
    const { json: account } = await root.call('POST', '/v3/accounts', { display_name: fresh('spellings') });
    const admin = root.as(account.admin_key as string);
    const holder = async (permissions: readonly Permission[]): Promise<Caller> => {
      const name = permissions[0] ?? 'nothing';
      const { json: group } = await admin.call('POST', '/v3/policy-groups', { name: fresh(name), permissions });
      const { json } = await admin.call('POST', '/v3/api-keys', { name, groups: [group.id] });
      return { name, permissions, key: json.key as string, keyId: json.id as string, accountId: account.id as string };
    };
    const { json: me } = await root.call('GET', '/v3/api-keys/me');
    const single = grantablePermissions.filter((permission) => permission !== 'devices');
    callers = [
      await holder([]),
      ...(await Promise.all(single.map((permission) => holder([permission])))),
      {
        name: 'administrator of the installation',
        permissions: [...grantablePermissions, 'installation'],
        key: system.adminKey,
        keyId: me.id as string,
        accountId: me.account_id as string,
      },
    ];
  });

  afterAll(() => system?.stop());

  it('gives no key more rights than the plain spelling does, through the gateway', async () => {
    const { sent, wrong } = await moreByAnotherSpelling(
      Number(new URL(system.baseUrl).port),
      operationsOf(committedDocument()),
      callers,
      ({ key }) => ({ authorization: `Bearer ${key}`, accept: 'application/json' }),
    );
    expect(sent).toBeGreaterThan(20_000);
    expect(wrong).toEqual([]);
  }, 180_000);

  it.each(['registry', 'device-proxy', 'snapshot', 'event-log', 'dispatcher'] as const)(
    'gives no key more rights than the plain spelling does, at the %s with the token of the gateway',
    async (app) => {
      const { port } = system.replicas.find((replica) => replica.app === app) ?? { port: 0 };
      const document = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as { paths: object };
      const signingKey = signingKeyOf(system.secrets);
      const { sent, wrong } = await moreByAnotherSpelling(port, operationsOf(document), callers, (caller) => {
        const identity = { ...caller, permissions: [...caller.permissions], groups: [], tier: 'commercial' as const };
        const token = signIdentity(identity, app, signingKey, Date.now());
        return { [identityHeader]: token, accept: 'application/json' };
      });
      expect(sent).toBeGreaterThan(300);
      expect(wrong).toEqual([]);
    },
    180_000,
  );
});
