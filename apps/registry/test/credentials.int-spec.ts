import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { encryptionKeyId, newId, open } from '@lanyard/service';
import { certificateAuthority, eventually, selfSigned } from '@lanyard/testing';
import { reencrypt } from '../src/credentials/reencrypt.js';
import { accountId, fingerprintOf, testSystem } from './test-system.js';

describe('credentials of devices', () => {
  const { call, created, announcedCredential, configOf, rows } = testSystem('credentials');
  const path = (device: string, id?: string): string => `/v3/devices/${device}/credentials${id ? `/${id}` : ''}`;

  describe('pre-shared keys', () => {
    it('are generated, shown once, announced sealed, and withdrawn', async () => {
      const device = await created();
      const { status, body } = await call('POST', path(device), { kind: 'psk' });
      expect(status).toBe(201);
      expect(body).toEqual({
        object: 'device-credential',
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        device_id: device,
        kind: 'psk',
        service: 'lwm2m',
        bootstrapped: false,
        provisional: false,
        identity: expect.stringMatching(/^[0-9a-f]{32}$/),
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        fingerprint: null,
        subject: null,
        expires_at: null,
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      });
      const { key, ...shown } = body;
      expect((await call('GET', path(device, body.id))).body).toEqual(shown);
      expect((await call('GET', path(device))).body).toMatchObject({
        object: 'list',
        data: [shown],
        has_more: false,
        total_count: 1,
      });
      const known = await eventually(() => {
        const value = announcedCredential(body.id);
        if (!value) throw new Error('not announced');
        return value;
      });
      expect(known).toMatchObject({ accountId, deviceId: device, kind: 'psk', identity: body.identity });
      expect(JSON.stringify(known)).not.toContain(key);
      expect(open(Buffer.alloc(32), known.sealedKey!)).toBe(key);
      expect((await call('DELETE', path(device, body.id))).status).toBe(204);
      expect((await call('DELETE', path(device, body.id))).status).toBe(404);
      expect((await call('GET', path(device, body.id))).status).toBe(404);
      await eventually(() => expect(announcedCredential(body.id)).toBeUndefined());
    });

    it('for bootstrapping are announced as such', async () => {
      const device = await created();
      const { status, body } = await call('POST', path(device), { kind: 'psk', service: 'bootstrap' });
      expect([status, body.service]).toEqual([201, 'bootstrap']);
      await eventually(() => expect(announcedCredential(body.id)).toMatchObject({ service: 'bootstrap' }));
      expect((await call('GET', `${path(device)}?service__eq=lwm2m`)).body.data).toEqual([]);
      expect((await call('POST', path(device), { kind: 'psk', service: 'mail' })).status).toBe(400);
    });

    it('are re-encrypted and announced again by reencrypt', async () => {
      const device = await created();
      const { body } = await call('POST', path(device), { kind: 'psk', service: 'bootstrap' });
      const [old, fresh] = [Buffer.alloc(32), Buffer.alloc(32, 1)];
      const keys = [fresh, old].map((key) => key.toString('base64')).join();
      await reencrypt(configOf('reencrypt-0', { ENCRYPTION_KEY: keys }));
      const known = await eventually(() => {
        const { sealedKey = '' } = announcedCredential(body.id) ?? {};
        if (!sealedKey.startsWith(`${encryptionKeyId(fresh)}.`)) throw new Error('not announced');
        return sealedKey;
      });
      expect(open(fresh, known)).toBe(body.key);
      // Back again, for the services of this file have the old key alone.
      const back = [old, fresh].map((key) => key.toString('base64')).join();
      await reencrypt(configOf('reencrypt-0', { ENCRYPTION_KEY: back }));
      await eventually(() => expect(open([old], announcedCredential(body.id)?.sealedKey ?? '')).toBe(body.key));
      expect(announcedCredential(body.id)?.service).toBe('bootstrap');
    });

    it('can be given; an identity carries its account and belongs to one device of it', async () => {
      const [device, other] = [await created(), await created()];
      const given = { kind: 'psk', identity: `meter ☀ ${newId()}`, key: '00112233445566778899AABBCCDDEEFF' };
      const { body } = await call('POST', path(device), given);
      expect(body).toMatchObject({ identity: `${accountId}:${given.identity}`, key: given.key.toLowerCase() });
      for (const taken of [device, other]) {
        const reply = await call('POST', path(taken), given);
        expect([reply.status, reply.body.type, reply.body.fields[0].name]).toEqual([409, 'duplicate', 'identity']);
      }
      await call('DELETE', path(device, body.id));
      const again = await call('POST', path(other), { ...given, identity: body.identity });
      expect([again.status, again.body.identity]).toEqual([201, body.identity]);
    });

    it('of another account never conflict, and no answer reveals that they exist', async () => {
      const [mine, stranger] = [await created(), newId()];
      const device = { endpoint_name: `endpoint-${newId()}`, ca_id: 'ca' };
      const { id: theirs } = (await call('POST', '/v3/devices', device, stranger)).body;
      const { body } = await call('POST', path(theirs), { kind: 'psk', identity: 'meter-17' }, stranger);
      for (const identity of ['meter-17', body.identity]) {
        const reply = await call('POST', path(mine), { kind: 'psk', identity });
        expect([reply.status, reply.body.identity]).toEqual([201, `${accountId}:${identity}`]);
      }
    });

    it.each([
      ['an empty identity', { kind: 'psk', identity: '' }],
      ['an identity of 129 bytes', { kind: 'psk', identity: 'ü'.repeat(65) }],
      ['an identity of 96 bytes, which has no room for the account', { kind: 'psk', identity: 'ü'.repeat(48) }],
      ['an identity with a line end', { kind: 'psk', identity: 'a\nb' }],
      ['a key of 15 bytes', { kind: 'psk', key: 'ab'.repeat(15) }],
      ['a key of 65 bytes', { kind: 'psk', key: 'ab'.repeat(65) }],
      ['a key that is no hex', { kind: 'psk', key: 'xy'.repeat(16) }],
      ['an unknown kind', { kind: 'password' }],
      ['no kind', {}],
      ['a certificate that is none', { kind: 'certificate', certificate: 'hello' }],
      [
        'a PEM of nothing',
        { kind: 'certificate', certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      ],
    ])('400 for %s', async (_what, body) => {
      expect((await call('POST', path(await created()), body)).status).toBe(400);
    });

    it('ten at once, not eleven, also when they are asked for together', async () => {
      const device = await created();
      const replies = await Promise.all(Array.from({ length: 12 }, () => call('POST', path(device), { kind: 'psk' })));
      const statuses = replies.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 409, 409]);
      expect(replies.find(({ status }) => status === 409)?.body.type).toBe('limit_exceeded');
      expect((await call('GET', path(device))).body.data).toHaveLength(10);
    });

    it('go with their device', async () => {
      const device = await created();
      const { body } = await call('POST', path(device), { kind: 'psk' });
      await eventually(() => expect(announcedCredential(body.id)).toBeDefined());
      expect((await call('DELETE', `/v3/devices/${device}`)).status).toBe(204);
      await eventually(() => expect(announcedCredential(body.id)).toBeUndefined());
      expect((await call('GET', path(device))).status).toBe(404);
    });
  });

  it('certificates are known by their fingerprint', async () => {
    const device = await created();
    const { certificate } = selfSigned('thermo-1');
    const { status, body } = await call('POST', path(device), { kind: 'certificate', certificate });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'certificate',
      identity: null,
      fingerprint: fingerprintOf(certificate),
      subject: 'CN=thermo-1',
      expires_at: expect.stringMatching(/Z$/),
    });
    await eventually(() =>
      expect(announcedCredential(body.id)).toMatchObject({ kind: 'certificate', fingerprint: body.fingerprint }),
    );
    expect((await call('POST', path(await created()), { kind: 'certificate', certificate })).status).toBe(409);
  });

  it('public keys are known by the fingerprint of their SubjectPublicKeyInfo, and unique over all accounts', async () => {
    const device = await created();
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
    const wanted = { kind: 'raw_public_key', public_key: pem };
    const { status, body } = await call('POST', path(device), wanted);
    const fingerprint = createHash('sha256')
      .update(publicKey.export({ format: 'der', type: 'spki' }))
      .digest('hex');
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'raw_public_key',
      identity: null,
      fingerprint,
      subject: null,
      expires_at: null,
    });
    const announced = { kind: 'raw_public_key', deviceId: device, fingerprint };
    await eventually(() => expect(announcedCredential(body.id)).toMatchObject(announced));
    const stranger = newId();
    const foreign = { endpoint_name: `endpoint-${newId()}`, ca_id: 'ca' };
    const { id: theirs } = (await call('POST', '/v3/devices', foreign, stranger)).body;
    const taken = await call('POST', path(theirs), wanted, stranger);
    expect([taken.status, taken.body.fields[0].name]).toEqual([409, 'public_key']);
    expect((await call('GET', `${path(device)}?kind__eq=raw_public_key`)).body.data).toHaveLength(1);
  });

  it.each([
    ['no PEM', () => 'hello'],
    ['another curve', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey],
    ['an RSA key', () => generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey],
    ['a private key', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
  ])('400 for a public key that is %s', async (_what, make) => {
    const key = make();
    const type = typeof key !== 'string' && key.type === 'private' ? 'pkcs8' : 'spki';
    const pem = typeof key === 'string' ? key : (key.export({ format: 'pem', type } as never) as string);
    const reply = await call('POST', path(await created()), { kind: 'raw_public_key', public_key: pem });
    expect([reply.status, reply.body.fields[0].name]).toEqual([400, 'public_key']);
  });

  it('another account sees nothing of it', async () => {
    const device = await created();
    const { body } = await call('POST', path(device), { kind: 'psk' });
    const stranger = newId();
    expect((await call('POST', path(device), { kind: 'psk' }, stranger)).status).toBe(404);
    expect((await call('GET', path(device), undefined, stranger)).status).toBe(404);
    expect((await call('GET', path(device, body.id), undefined, stranger)).status).toBe(404);
    expect((await call('DELETE', path(device, body.id), undefined, stranger)).status).toBe(404);
    expect((await call('POST', path('nonsense'), { kind: 'psk' })).status).toBe(404);
  });

  it('certificates that expire in 30 days, or have expired, need attention', async () => {
    const device = await created();
    const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);
    const add = async (days: number): Promise<string> => {
      const { certificate } = selfSigned(`thermo-${days}`, { notAfter: inDays(days) });
      const { status, body } = await call('POST', path(device), { kind: 'certificate', certificate });
      expect(status).toBe(201);
      return body.id;
    };
    const [soon] = [await add(29), await add(31)];
    const authority = certificateAuthority('Old CA');
    const { body: trusted } = await call('POST', '/v3/trusted-certificates', {
      certificate: authority.certificate,
      signature: authority.prove(accountId),
      name: 'old',
    });
    await rows(
      `UPDATE registry.trusted_certificates SET expires_at = '2026-01-02T03:04:05Z' WHERE id = '${trusted.id}'`,
    );
    const { status, body } = await call('GET', '/v3/attention/expiring-certificates?include=total_count');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'list',
      total_count: 2,
      data: [
        {
          kind: 'expiring-certificates',
          id: soon,
          device_id: device,
          text: expect.stringMatching(/thermo-29 expires/),
        },
        {
          id: trusted.id,
          device_id: null,
          since: '2026-01-02T03:04:05.000000Z',
          text: expect.stringMatching(/Old CA expired/),
        },
      ],
    });
    await call('PUT', `/v3/trusted-certificates/${trusted.id}`, { status: 'INACTIVE' });
    expect((await call('GET', '/v3/attention/expiring-certificates')).body.data).toHaveLength(1);
    await call('DELETE', `/v3/trusted-certificates/${trusted.id}`);
  });

  it('devices are counted by state', async () => {
    await created();
    const { status, body } = await call('GET', '/statistics');
    expect(status).toBe(200);
    const counts = body as unknown as { total: number; by_state: Record<string, number>; by_lifecycle_status: object };
    expect(counts.total).toBeGreaterThan(0);
    expect(counts.by_state).toEqual({ unenrolled: counts.total });
    expect(counts.by_lifecycle_status).toEqual({ enabled: counts.total });
  });
});
