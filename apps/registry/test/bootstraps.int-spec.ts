import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type DeviceBootstrapChanged } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { newId, open } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { DataSource } from 'typeorm';
import { BootstrapExpiry } from '../src/bootstrap/bootstrap-expiry.js';
import { bootstrapExpiryMs, endedKeptDays } from '../src/bootstrap/limits.js';
import { SessionWriter } from '../src/intake/session-writer.js';
import { accountId, testSystem } from './test-system.js';

/** Looks for bootstraps that are over when the test says so, by a clock that is days ahead. */
class FastExpiry extends BootstrapExpiry {
  protected override readonly clock = new TestClock(Date.now() + (endedKeptDays + 1) * 86_400_000);

  takeStep(): Promise<boolean> {
    return this.step();
  }
}

describe('bootstraps of devices', () => {
  const { call, created, announcedCredential, audited, tellBootstrap, tell, session, rows, replica } =
    testSystem('bootstraps');
  const started = (deviceId: string, more: Partial<DeviceBootstrapChanged> = {}): DeviceBootstrapChanged => ({
    bootstrapId: newId(),
    deviceId,
    accountId,
    change: 'started',
    profileId: newId(),
    interface: 'bs',
    credential: 'psk',
    serverUri: 'coaps://lwm2m.example',
    shortServerId: 123,
    address: '192.0.2.7:5683',
    occurredAt: '2024-05-05T05:05:00Z',
    ...more,
  });
  const rawPublicKey = () => ({ credential: 'raw_public_key', fingerprint: randomBytes(32).toString('hex') }) as const;
  const ended = (
    { bootstrapId, deviceId }: DeviceBootstrapChanged,
    more: Pick<DeviceBootstrapChanged, 'change'> & Partial<DeviceBootstrapChanged>,
  ): DeviceBootstrapChanged => ({ bootstrapId, deviceId, accountId, occurredAt: '2024-05-05T05:05:05Z', ...more });
  const succeeded = (fact: DeviceBootstrapChanged): DeviceBootstrapChanged => ended(fact, { change: 'bootstrapped' });
  const failed = (fact: DeviceBootstrapChanged): DeviceBootstrapChanged =>
    ended(fact, { change: 'failed', failure: 'refused', detail: 'POST /bs: 4.06' });

  const credentialsOf = async (deviceId: string): Promise<unknown[]> =>
    (await call('GET', `/v3/devices/${deviceId}/credentials`)).body.data;
  const device = async (id: string): Promise<Record<string, unknown>> => (await call('GET', `/v3/devices/${id}`)).body;
  const entries = (deviceId: string) =>
    audited().filter((entry) => entry.deviceId === deviceId && /^SYS_(107|402)$/.test(entry.eventCode));

  /** Starts a bootstrap, and waits until its credential is announced. */
  const begun = async (
    deviceId: string,
    more: Partial<DeviceBootstrapChanged> = {},
  ): Promise<DeviceBootstrapChanged> => {
    const fact = started(deviceId, more);
    await tellBootstrap(fact);
    await eventually(() => expect(announcedCredential(fact.bootstrapId)).toBeDefined());
    return fact;
  };

  it('create a random key, provisional until the device has accepted it', async () => {
    const id = await created();
    const fact = await begun(id);
    const announced = announcedCredential(fact.bootstrapId);
    expect(announced).toMatchObject({ accountId, deviceId: id, kind: 'psk', service: 'lwm2m', provisional: true });
    expect(open(Buffer.alloc(32), announced?.sealedKey ?? '')).toMatch(/^[0-9a-f]{32}$/);
    expect(await credentialsOf(id)).toMatchObject([{ id: fact.bootstrapId, bootstrapped: true, provisional: true }]);
    expect((await device(id)).bootstrapped_timestamp).toBeNull();
    await tellBootstrap(succeeded(fact));
    await eventually(() => expect(announcedCredential(fact.bootstrapId)?.provisional).toBeUndefined());
    expect(await credentialsOf(id)).toMatchObject([{ id: fact.bootstrapId, bootstrapped: true, provisional: false }]);
    expect(await device(id)).toMatchObject({
      state: 'bootstrapped',
      bootstrapped_timestamp: '2024-05-05T05:05:05.000000Z',
    });
    await eventually(() => expect(entries(id)).toHaveLength(1));
    expect(entries(id)[0]).toMatchObject({
      eventId: fact.bootstrapId,
      eventCode: 'SYS_107',
      data: {
        interface: 'bs',
        server_uri: 'coaps://lwm2m.example',
        short_server_id: '123',
        profile_id: fact.profileId,
      },
    });
  });

  it('replace the credential of the one before only when they succeed', async () => {
    const id = await created();
    const first = await begun(id);
    await tellBootstrap(succeeded(first));
    const refused = await begun(id);
    expect(announcedCredential(first.bootstrapId)).toBeDefined();
    await tellBootstrap(failed(refused));
    await eventually(() => expect(announcedCredential(refused.bootstrapId)).toBeUndefined());
    expect(await credentialsOf(id)).toMatchObject([{ id: first.bootstrapId, provisional: false }]);
    const second = await begun(id);
    await tellBootstrap(succeeded(second));
    await eventually(() => expect(announcedCredential(first.bootstrapId)).toBeUndefined());
    expect(await credentialsOf(id)).toMatchObject([{ id: second.bootstrapId, provisional: false }]);
    await eventually(() =>
      expect(entries(id).map((entry) => entry.eventCode)).toEqual(['SYS_107', 'SYS_402', 'SYS_107']),
    );
    expect(entries(id)[1]).toMatchObject({
      description: 'Device not bootstrapped: refused (POST /bs: 4.06)',
      data: { failure: 'refused', detail: 'POST /bs: 4.06' },
    });
  });

  it('store the raw public key that the device was given, and no pre-shared key with it', async () => {
    const id = await created();
    const raw = rawPublicKey();
    const fact = await begun(id, raw);
    const announced = announcedCredential(fact.bootstrapId);
    const stored = { kind: 'raw_public_key', fingerprint: raw.fingerprint };
    expect(announced).toMatchObject({ ...stored, accountId, deviceId: id, service: 'lwm2m', provisional: true });
    expect([announced?.identity, announced?.sealedKey]).toEqual([undefined, undefined]);
    await tellBootstrap(succeeded(fact));
    await eventually(() => expect(announcedCredential(fact.bootstrapId)?.provisional).toBeUndefined());
    expect(await credentialsOf(id)).toMatchObject([
      { ...stored, id: fact.bootstrapId, identity: null, bootstrapped: true, provisional: false },
    ]);
  });

  it('withdraw an earlier raw public key when they supersede it, and when they succeed', async () => {
    const id = await created();
    const abandoned = await begun(id, rawPublicKey());
    const first = await begun(id, rawPublicKey());
    await eventually(() => expect(announcedCredential(abandoned.bootstrapId)).toBeUndefined());
    await tellBootstrap(succeeded(first));
    const second = await begun(id, rawPublicKey());
    expect(announcedCredential(first.bootstrapId)).toBeDefined();
    await tellBootstrap(succeeded(second));
    await eventually(() => expect(announcedCredential(first.bootstrapId)).toBeUndefined());
    const withKey = await begun(id);
    await tellBootstrap(succeeded(withKey));
    await eventually(() => expect(announcedCredential(second.bootstrapId)).toBeUndefined());
    expect(await credentialsOf(id)).toMatchObject([{ id: withKey.bootstrapId, kind: 'psk', fingerprint: null }]);
  });

  it('of many devices create credentials of both kinds', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => created()));
    const facts = ids.map((id, n) => started(id, n % 2 ? rawPublicKey() : {}));
    await Promise.all(facts.map((fact) => tellBootstrap(fact)));
    for (const { bootstrapId, credential, fingerprint } of facts)
      await eventually(() => {
        const announced = announcedCredential(bootstrapId);
        expect([announced?.kind, announced?.fingerprint]).toEqual([credential, fingerprint]);
      });
  });

  it('leave credentials of operators alone, which do not count against them', async () => {
    const id = await created();
    const keys = Array.from({ length: 10 }, () => call('POST', `/v3/devices/${id}/credentials`, { kind: 'psk' }));
    expect((await Promise.all(keys)).every(({ status }) => status === 201)).toBe(true);
    await tellBootstrap(succeeded(await begun(id)));
    await eventually(async () => expect(await credentialsOf(id)).toHaveLength(11));
  });

  it('end once: facts that are repeated or late change nothing', async () => {
    const id = await created();
    const fact = await begun(id);
    await tellBootstrap(succeeded(fact));
    await eventually(() => expect(announcedCredential(fact.bootstrapId)?.provisional).toBeUndefined());
    expect((await call('DELETE', `/v3/devices/${id}/credentials/${fact.bootstrapId}`)).status).toBe(204);
    for (const repeated of [fact, succeeded(fact), failed(fact)]) await tellBootstrap(repeated);
    const next = await begun(id);
    expect(await credentialsOf(id)).toMatchObject([{ id: next.bootstrapId }]);
    await tellBootstrap(succeeded(next));
    await eventually(() => expect(entries(id).map(({ eventId }) => eventId)).toContain(next.bootstrapId));
    expect(entries(id).filter(({ eventId }) => eventId === fact.bootstrapId)).toHaveLength(1);
  });

  it('supersede the one before that did not end', async () => {
    const id = await created();
    const first = await begun(id);
    const second = await begun(id);
    await eventually(() => expect(announcedCredential(first.bootstrapId)).toBeUndefined());
    await tellBootstrap(succeeded(first));
    await tellBootstrap(succeeded(second));
    await eventually(() => expect(announcedCredential(second.bootstrapId)?.provisional).toBeUndefined());
    await eventually(() => expect(entries(id).map(({ data }) => data?.failure)).toEqual(['superseded', undefined]));
    expect(await credentialsOf(id)).toMatchObject([{ id: second.bootstrapId, provisional: false }]);
  });

  it('without an end are failed, and their credential is withdrawn', async () => {
    const id = await created();
    const fact = await begun(id);
    const [held] = await rows(`SELECT expires_at FROM registry.bootstraps WHERE id = '${fact.bootstrapId}'`);
    const leftMs = Number((held as { expires_at: Date }).expires_at) - Date.now();
    expect(leftMs).toBeLessThanOrEqual(bootstrapExpiryMs);
    // Its time is up: the replica that led it was killed.
    await rows(`UPDATE registry.bootstraps SET expires_at = now() WHERE id = '${fact.bootstrapId}'`);
    await eventually(() => expect(announcedCredential(fact.bootstrapId)).toBeUndefined());
    expect(await credentialsOf(id)).toEqual([]);
    await eventually(() => expect(entries(id)).toMatchObject([{ eventCode: 'SYS_402', data: { failure: 'expired' } }]));
    // The device was given the key, and registers too late: it has to bootstrap again.
    await tellBootstrap(succeeded(fact));
    const again = await begun(id);
    expect(await credentialsOf(id)).toMatchObject([{ id: again.bootstrapId }]);
  });

  it('are neither failed nor forgotten early by a replica whose clock is fast', async () => {
    const id = await created();
    const first = await begun(id);
    await tellBootstrap(succeeded(first));
    await eventually(() => expect(entries(id)).toHaveLength(1));
    const second = await begun(id);
    const ids = [first, second].map(({ bootstrapId }) => `'${bootstrapId}'`).join();
    const stored = () =>
      rows(`SELECT id, state, expires_at, ended_at FROM registry.bootstraps WHERE id IN (${ids}) ORDER BY id`);
    const before = await stored();
    const { app } = replica(0);
    const [database, outbox] = [app.get(DataSource, { strict: false }), app.get(Outbox, { strict: false })];
    await new FastExpiry(database, outbox).takeStep();
    expect(await stored()).toEqual(before);
    expect(before).toHaveLength(2);
  });

  it('have the delay in addition with which their profile lets the device register', async () => {
    const id = await created();
    const profile = { scope: 'device', device_id: id, name: newId(), server_uri: 'coaps://lwm2m.example' };
    const delaySeconds = 7_200;
    const wanted = { ...profile, initial_registration_delay_seconds: delaySeconds };
    const { status, body } = await call('POST', '/v3/bootstrap-profiles', wanted);
    expect(status).toBe(201);
    const beginsMs = Date.now();
    const { bootstrapId } = await begun(id, { interface: 'bspack', profileId: body.id });
    const [held] = await rows(`SELECT expires_at FROM registry.bootstraps WHERE id = '${bootstrapId}'`);
    const givenMs = Number((held as { expires_at: Date }).expires_at) - beginsMs;
    expect(givenMs).toBeGreaterThanOrEqual(bootstrapExpiryMs + delaySeconds * 1_000);
  });

  it('that succeeded in the topic before they expired have succeeded', async () => {
    const id = await created();
    const fact = await begun(id);
    await tellBootstrap(succeeded(fact));
    await tellBootstrap(ended(fact, { change: 'failed', failure: 'expired' }));
    // The next one of this device is read after both.
    const next = await begun(id);
    await tellBootstrap(failed(next));
    await eventually(() => expect(entries(id).map(({ eventId }) => eventId)).toContain(next.bootstrapId));
    expect(entries(id).map(({ eventCode }) => eventCode)).toEqual(['SYS_107', 'SYS_402']);
    expect(announcedCredential(fact.bootstrapId)).toBeDefined();
    expect(await credentialsOf(id)).toMatchObject([{ id: fact.bootstrapId, provisional: false }]);
  });

  it('without a credential are logged all the same', async () => {
    const id = await created();
    const { credential: _none, ...fact } = started(id, { interface: 'bspack' });
    await tellBootstrap(fact);
    await tellBootstrap(succeeded(fact));
    await eventually(() =>
      expect(entries(id)).toMatchObject([{ eventCode: 'SYS_107', data: { interface: 'bspack' } }]),
    );
    expect(await credentialsOf(id)).toEqual([]);
  });

  it('do not take a registered device out of service', async () => {
    const id = await created();
    await tell(session(id, { epoch: 1 }));
    await eventually(async () => expect((await device(id)).state).toBe('registered'));
    await tellBootstrap(succeeded(await begun(id)));
    await eventually(async () => expect((await device(id)).bootstrapped_timestamp).not.toBeNull());
    expect((await device(id)).state).toBe('registered');
  });

  it('are not undone by a fact of the registration before, of which the end may be announced again', async () => {
    const id = await created();
    const end = session(id, { epoch: 1, change: 'deregistered', reason: 'device' });
    await tell(end);
    await eventually(async () => expect((await device(id)).state).toBe('deregistered'));
    await tellBootstrap(succeeded(await begun(id)));
    await eventually(async () => expect((await device(id)).state).toBe('bootstrapped'));
    const writer = replica(0).app.get(SessionWriter, { strict: false });
    for (const fact of [end, session(id, { epoch: 1, change: 'updated' })]) await writer.apply([fact]);
    expect((await device(id)).state).toBe('bootstrapped');
    await writer.apply([session(id, { epoch: 2 })]);
    expect((await device(id)).state).toBe('registered');
  });

  it('of unknown devices, and of devices of other accounts, are not there', async () => {
    const id = await created();
    const unknown = started(newId());
    const foreign = started(id, { accountId: newId() });
    await tellBootstrap(unknown);
    await tellBootstrap(foreign);
    // On each partition one that comes afterwards.
    const others = await Promise.all(Array.from({ length: 64 }, () => created()));
    const [own] = await Promise.all([begun(id), ...others.map((other) => begun(other))]);
    expect(await credentialsOf(id)).toMatchObject([{ id: own.bootstrapId }]);
    const ids = `'${unknown.bootstrapId}', '${foreign.bootstrapId}'`;
    for (const table of ['bootstraps', 'device_credentials'])
      expect(await rows(`SELECT id FROM registry.${table} WHERE id IN (${ids})`)).toEqual([]);
    for (const { bootstrapId } of [unknown, foreign]) expect(announcedCredential(bootstrapId)).toBeUndefined();
  });

  it('go with their device', async () => {
    const id = await created();
    const fact = await begun(id);
    expect((await call('DELETE', `/v3/devices/${id}`)).status).toBe(204);
    await eventually(() => expect(announcedCredential(fact.bootstrapId)).toBeUndefined());
    expect(await rows(`SELECT 1 FROM registry.bootstraps WHERE device_id = '${id}'`)).toEqual([]);
  });
});
