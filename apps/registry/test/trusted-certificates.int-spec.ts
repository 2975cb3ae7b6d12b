import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { certificateAuthority, eventually } from '@lanyard/testing';
import { accountId, fingerprintOf, testSystem } from './test-system.js';

/** On P-256, but the point of the key and the generator have changed places. */
const keyWithOwnGenerator = (): KeyObject => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const generatorAt = der.indexOf(Buffer.from('044104', 'hex')) + 2;
  const pointAt = der.length - 65;
  const generator = Buffer.from(der.subarray(generatorAt, generatorAt + 65));
  der.copy(der, generatorAt, pointAt);
  generator.copy(der, pointAt);
  return createPublicKey({ key: der, type: 'spki', format: 'der' });
};

/** The private exponent of another key. */
const keyWithLargeExponent = (): KeyObject => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const { n = '', d = '' } = privateKey.export({ format: 'jwk' });
  return createPublicKey({ key: { kty: 'RSA', n, e: d }, format: 'jwk' });
};

describe('trusted certificates', () => {
  const { call, announcedCredential } = testSystem('trusted-certificates');
  const trusted = '/v3/trusted-certificates';

  it('may be for bootstrapping', async () => {
    const { certificate, prove } = certificateAuthority('Bootstrap CA');
    const wanted = { certificate, signature: prove(accountId), service: 'bootstrap', name: 'bootstrap' };
    const { status, body } = await call('POST', trusted, wanted);
    expect([status, body.service]).toEqual([201, 'bootstrap']);
    await eventually(() => expect(announcedCredential(body.id)).toMatchObject({ service: 'bootstrap' }));
    expect((await call('PUT', `${trusted}/${body.id}`, { service: 'lwm2m' })).status).toBe(400);
    expect((await call('DELETE', `${trusted}/${body.id}`)).status).toBe(204);
  });

  it.each(['san_uri', 'san_dns'])('may name devices in the SubjectAltName: %s', async (endpoint_name_from) => {
    const { certificate, prove } = certificateAuthority(`Naming CA ${endpoint_name_from}`);
    const wanted = { certificate, signature: prove(accountId), endpoint_name_from, name: endpoint_name_from };
    const { status, body } = await call('POST', trusted, wanted);
    expect([status, body['endpoint_name_from']]).toEqual([201, endpoint_name_from]);
    await eventually(() =>
      expect(announcedCredential(body.id)).toMatchObject({ endpointNameFrom: endpoint_name_from }),
    );
    const found = await call('GET', `${trusted}?endpoint_name_from__eq=${endpoint_name_from}`);
    expect(found.body.data.map(({ id }) => id)).toEqual([body.id]);
    // Devices that are connected were identified by it.
    expect((await call('PUT', `${trusted}/${body.id}`, { endpoint_name_from: 'common_name' })).status).toBe(400);
    expect((await call('PUT', `${trusted}/${body.id}`, { ...body, name: 'n' })).status).toBe(200);
    expect((await call('DELETE', `${trusted}/${body.id}`)).status).toBe(204);
    expect((await call('POST', trusted, { ...wanted, endpoint_name_from: 'serial' })).status).toBe(400);
  });

  it('are added with a signature, changed, listed and withdrawn', async () => {
    const authority = certificateAuthority('Thermo CA');
    const { certificate } = authority;
    const signature = authority.prove(accountId);
    const { status, body } = await call('POST', trusted, {
      certificate,
      signature,
      enrollment_mode: true,
      name: 'factory',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'trusted-cert',
      status: 'ACTIVE',
      verified: true,
      service: 'lwm2m',
      endpoint_name_from: 'common_name',
      valid: true,
      issuer: 'CN=Thermo CA',
      account_id: accountId,
      name: 'factory',
      subject: 'CN=Thermo CA',
      certificate_fingerprint: fingerprintOf(certificate),
      enrollment_mode: true,
    });
    await eventually(() =>
      expect(announcedCredential(body.id)).toMatchObject({ kind: 'authority', accountId, enrolment: true }),
    );
    expect(announcedCredential(body.id)).not.toHaveProperty('endpointNameFrom');
    expect((await call('POST', trusted, { certificate, signature })).status).toBe(409);
    const changed = await call('PUT', `${trusted}/${body.id}`, { enrollment_mode: false });
    expect([changed.status, changed.body['enrollment_mode'], changed.body.name]).toEqual([200, false, 'factory']);
    await eventually(() => expect(announcedCredential(body.id)?.enrolment).toBe(false));
    expect((await call('GET', `${trusted}/${body.id}`)).body).toEqual(changed.body);
    expect((await call('GET', `${trusted}?name__eq=factory`)).body.data).toEqual([changed.body]);
    const revoked = await call('PUT', `${trusted}/${body.id}`, {
      revoked_serials: ['0A:FF', 'abc', '0aff', '00:E1:02', '00e102'],
    });
    expect(revoked.body).toMatchObject({ enrollment_mode: false, revoked_serials: ['0abc', '0aff', 'e102'] });
    await eventually(() => expect(announcedCredential(body.id)?.revokedSerials).toEqual(['0abc', '0aff', 'e102']));
    expect((await call('PUT', `${trusted}/${body.id}`, { revoked_serials: ['no hex'] })).status).toBe(400);
    const stranger = newId();
    expect((await call('GET', `${trusted}/${body.id}`, undefined, stranger)).status).toBe(404);
    expect((await call('PUT', `${trusted}/${body.id}`, { name: 'x' }, stranger)).status).toBe(404);
    expect((await call('DELETE', `${trusted}/${body.id}`, undefined, stranger)).status).toBe(404);
    expect((await call('DELETE', `${trusted}/${body.id}`)).status).toBe(204);
    expect((await call('GET', `${trusted}/${body.id}`)).status).toBe(404);
    await eventually(() => expect(announcedCredential(body.id)).toBeUndefined());
  });

  it('without a signature are INACTIVE, block no other account, and become active with one', async () => {
    const authority = certificateAuthority('Claimed CA');
    const { certificate } = authority;
    // As SDKs send it.
    const claim = { certificate, name: 'claimed', service: 'lwm2m', enrollment_mode: false, description: 'd' };
    const stranger = newId();
    const claimed = await call('POST', trusted, claim, stranger);
    expect(claimed.body).toMatchObject({ status: 'INACTIVE', verified: false, description: 'd' });
    expect(claimed.status).toBe(201);
    const own = await call('POST', trusted, claim);
    const path = `${trusted}/${own.body.id}`;
    for (const [method, to, body] of [
      ['POST', trusted, { certificate, status: 'ACTIVE' }],
      ['PUT', path, { status: 'ACTIVE' }],
      ['PUT', path, { status: 'ACTIVE', signature: authority.prove(stranger) }],
    ] as const) {
      const refused = await call(method, to, body);
      expect([refused.status, refused.body.fields.map(({ name }) => name)]).toEqual([400, ['signature']]);
    }
    expect((await call('PUT', path, { name: 'renamed' })).body).toMatchObject({
      status: 'INACTIVE',
      name: 'renamed',
    });
    const signature = authority.prove(accountId);
    const active = await call('PUT', path, { status: 'ACTIVE', signature });
    expect(active.body).toMatchObject({ status: 'ACTIVE', verified: true });
    await eventually(() => expect(announcedCredential(own.body.id)).toMatchObject({ kind: 'authority', accountId }));
    expect(announcedCredential(claimed.body.id)).toBeUndefined();
    // Even the holder of the issuer's private key may have it active in one account only.
    const both = { status: 'ACTIVE', signature: authority.prove(stranger) };
    expect((await call('PUT', `${trusted}/${claimed.body.id}`, both, stranger)).status).toBe(409);
  });

  it('are listed by page, with filters', async () => {
    const account = newId();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { certificate } = certificateAuthority(`Listed ${name}`);
      ids.push((await call('POST', trusted, { certificate, name, enrollment_mode: name === 'b' }, account)).body.id);
    }
    const found = async (query: string): Promise<string[]> =>
      (await call('GET', `${trusted}?${query}`, undefined, account)).body.data.map(({ id }) => id);
    expect(await found('name__neq=b')).toEqual([ids[0], ids[2]]);
    expect(await found('enrollment_mode__eq=True')).toEqual([ids[1]]);
    expect(await found('service=lwm2m&status__in=INACTIVE,ACTIVE&order=DESC')).toEqual([...ids].reverse());
    expect(await found(`after=${ids[0]}`)).toEqual(ids.slice(1));
    expect((await call('GET', `${trusted}?limit=2`, undefined, account)).body).toMatchObject({
      has_more: true,
      total_count: 3,
    });
    for (const query of ['status=on', 'colour=red'])
      expect((await call('GET', `${trusted}?${query}`, undefined, account)).status).toBe(400);
  });

  it('that are INACTIVE are announced as such once they are proved, and as usual when ACTIVE again', async () => {
    const authority = certificateAuthority('Paused CA');
    const { certificate } = authority;
    const { body: made } = await call('POST', trusted, { certificate, signature: authority.prove(accountId) });
    const path = `${trusted}/${made.id}`;
    await eventually(() => expect(announcedCredential(made.id)).toBeDefined());
    const { body: paused } = await call('PUT', path, { ...made, status: 'INACTIVE' });
    expect(paused).toMatchObject({ status: 'INACTIVE', verified: true });
    await eventually(() =>
      expect(announcedCredential(made.id)).toMatchObject({ kind: 'inactive_authority', accountId }),
    );
    expect((await call('PUT', path, { status: 'ACTIVE' }, accountId, { 'if-match': made.etag })).status).toBe(412);
    expect((await call('PUT', path, { status: 'ACTIVE' }, accountId, { 'if-match': paused.etag })).status).toBe(200);
    await eventually(() => expect(announcedCredential(made.id)?.kind).toBe('authority'));
    expect((await call('PUT', path, { status: 'INACTIVE' })).status).toBe(200);
    await eventually(() => expect(announcedCredential(made.id)?.kind).toBe('inactive_authority'));
    expect((await call('DELETE', path)).status).toBe(204);
    await eventually(() => expect(announcedCredential(made.id)).toBeUndefined());
  });

  it('400 with the name of a read-only field with another value, and of a service that is not offered', async () => {
    const authority = certificateAuthority('Fixed CA');
    const fields = { certificate: authority.certificate, signature: authority.prove(accountId) };
    const { body: made } = await call('POST', trusted, fields);
    const other = certificateAuthority('Other CA').certificate;
    for (const [name, value] of Object.entries({
      certificate: other,
      subject: 'CN=x',
      service: 'bootstrap',
      proof: 'x',
    })) {
      const { status, body } = await call('PUT', `${trusted}/${made.id}`, { [name]: value });
      expect([status, body.fields.map((field) => field.name)]).toEqual([400, [name]]);
    }
  });

  it('400 for another account’s authority, and for a certificate that is no authority', async () => {
    const authority = certificateAuthority('Their CA');
    const { certificate } = authority;
    const elsewhere = await call('POST', trusted, { certificate, signature: authority.prove(newId()) });
    expect([elsewhere.status, elsewhere.body.fields[0].name]).toEqual([400, 'signature']);
    expect((await call('POST', trusted, { certificate, signature: 'AAAA' })).status).toBe(400);
    const device = authority.issue('thermo-1');
    const leaf = await call('POST', trusted, {
      certificate: device.certificate,
      signature: authority.prove(accountId),
    });
    expect([leaf.status, leaf.body.fields[0].name]).toEqual([400, 'certificate']);
  });

  it.each([
    ['a generator of its own', keyWithOwnGenerator],
    ['a large exponent', keyWithLargeExponent],
    ['a DSA group', () => generateKeyPairSync('dsa', { modulusLength: 1_024, divisorLength: 160 }).publicKey],
  ])('400 for an authority whose key has %s, so that it may fit a certificate of others', async (_what, make) => {
    const { certificate } = certificateAuthority('Substituted CA', {}, make());
    const { status, body } = await call('POST', trusted, { certificate });
    expect(status).toBe(400);
    expect(body.fields).toEqual([{ name: 'certificate', message: expect.stringContaining('named curve') }]);
  });

  it.each([
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey],
    ['P-384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey],
    ['Ed25519', () => generateKeyPairSync('ed25519').publicKey],
  ])('may have a key of the kind %s', async (kind, make) => {
    const { certificate } = certificateAuthority(`${kind} CA`, {}, make());
    expect((await call('POST', trusted, { certificate }, newId())).status).toBe(201);
  });
});
