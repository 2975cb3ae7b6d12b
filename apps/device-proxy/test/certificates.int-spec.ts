import { X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import {
  certificateAuthority,
  type CertificateOptions,
  eventually,
  type SecureDevice,
  selfSigned,
  withCertificate,
  withoutCertificate,
} from '@lanyard/testing';
import { type TestSystem } from './test-system.js';
import { SecureTestSystem } from './secure-test-system.js';

describe.each(['TLS', 'DTLS'] as const)('devices and their certificates over %s', (over) => {
  let secured: SecureTestSystem;
  let system: TestSystem;

  beforeAll(async () => {
    secured = await SecureTestSystem.create(`certificates-${over}`, over);
    ({ system } = secured);
  });
  afterEach(() => secured.closeDevices());
  afterAll(() => secured.close());

  /** On a busy machine a device that enrolls may have to ask more than once. */
  const enrolls = (thing: SecureDevice): Promise<void> =>
    eventually(async () => expect(await thing.register()).toBe('2.01'));

  /** The directory got it from here. Its registration says so (`firstContact`) only if it had to ask once. */
  const cameByItself = async (name: string): Promise<void> => {
    const { value } = await secured.registered(name);
    const contact = await system.fact(system.contacts, (v) => v.endpointName === name);
    expect([value.accountId, contact.value.deviceId]).toEqual([system.accountId, value.deviceId]);
  };

  const fingerprintOf = (pem: string): string =>
    new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

  it('its own certificate lets a device in, another one does not', async () => {
    const deviceId = newId();
    await system.lifecycle(deviceId, 'x509-1', 'created');
    const own = selfSigned('whatever');
    const fingerprint = fingerprintOf(own.certificate);
    const credentialId = await system.credential({ kind: 'certificate', deviceId, fingerprint });
    const thing = secured.device('x509-1');
    await secured.connected(thing, withCertificate(own, secured.server.certificate));
    expect(await thing.register()).toBe('2.01');
    expect((await secured.registered('x509-1')).value.deviceId).toBe(deviceId);
    const stranger = secured.device('x509-1');
    const other = withCertificate(selfSigned('whatever'), secured.server.certificate);
    await expect(secured.connect(stranger, other)).rejects.toThrow();
    const bare = withoutCertificate(secured.server.certificate);
    await expect(secured.connect(stranger, bare)).rejects.toThrow();
    await system.withdraw(credentialId);
    await eventually(() => expect(thing.connected).toBe(false));
  });

  it('one of a trusted issuer: the common name is the endpoint, unknown ones come with enrolment only', async () => {
    const authority = certificateAuthority('Factory');
    const credential = { kind: 'authority' as const, certificate: authority.certificate };
    const credentialId = await system.credential({ ...credential, enrolment: false });
    const thing = secured.device('born-today');
    const tls = withCertificate(authority.issue('born-today'), secured.server.certificate);
    await secured.connected(thing, tls);
    expect(await thing.register('another-name')).toBe('4.03');
    expect(await thing.register()).toBe('4.03');
    await system.credential({ ...credential, credentialId, enrolment: true });
    await eventually(async () => {
      await secured.connect(thing, tls);
      expect(await thing.register()).toBe('2.01');
    });
    await cameByItself('born-today');
    await system.withdraw(credentialId);
    await eventually(() => expect(thing.connected).toBe(false));
    await expect(secured.connect(thing, tls)).rejects.toThrow();
  });

  it.each([
    ['a URI', 'san_uri', { uris: ['urn:imei:356938035643809'] }, 'urn:imei:356938035643809'],
    ['a host name', 'san_dns', { hosts: ['meter-7.example'] }, 'meter-7.example'],
  ] as const)('one of an issuer that names devices by %s in the SubjectAltName', async (_, source, names, name) => {
    const authority = certificateAuthority(`Naming by ${source}`);
    const credential = { kind: 'authority', certificate: authority.certificate, endpointNameFrom: source } as const;
    await system.credential({ ...credential, enrolment: true });
    const issued = (commonName: string, options: CertificateOptions): ReturnType<typeof withCertificate> =>
      withCertificate(authority.issue(commonName, options), secured.server.certificate);
    const thing = secured.device(name);
    // Its common name counts for nothing, if it has one.
    await secured.connected(thing, issued(source === 'san_uri' ? '' : 'another-name', names));
    expect(await thing.register('another-name')).toBe('4.03');
    await enrolls(thing);
    await cameByItself(name);
    const two = { uris: ['urn:a', 'urn:b'], hosts: ['a.example', 'b.example'] };
    for (const wrong of [issued(name, {}), issued(name, two)])
      await expect(secured.connect(secured.device(name), wrong)).rejects.toThrow();
  });

  it('a new certificate of the listener is shown from the next handshake on; connections stay', async () => {
    const deviceId = newId();
    await system.lifecycle(deviceId, 'renewed', 'created');
    const own = selfSigned('whatever');
    await system.credential({ kind: 'certificate', deviceId, fingerprint: fingerprintOf(own.certificate) });
    const before = secured.device('renewed');
    await secured.connected(before, withCertificate(own, secured.server.certificate));
    const renewed = selfSigned('lanyard.example');
    // A key that is not the certificate's: the listener keeps what it has.
    await secured.replaceCertificate({ ...renewed, privateKey: selfSigned('lanyard.example').privateKey });
    const after = secured.device('renewed');
    await expect(secured.connect(after, withCertificate(own, renewed.certificate))).rejects.toThrow();
    await secured.replaceCertificate(renewed);
    expect(before.connected).toBe(true);
    await secured.connect(after, withCertificate(own, renewed.certificate));
    expect(await after.register()).toBe('2.01');
    const late = secured.device('renewed');
    await expect(secured.connect(late, withCertificate(own, secured.server.certificate))).rejects.toThrow();
    await secured.replaceCertificate(secured.server);
  });

  const chainOf = (...links: { certificate: string }[]): string => links.map((one) => one.certificate).join('');

  it('issuers between, that the device sends, count; one that may not sign, or that has ended, does not', async () => {
    const root = certificateAuthority('Root');
    await system.credential({ kind: 'authority', certificate: root.certificate, enrolment: true });
    const line = root.intermediate('Line 1').intermediate('Line 1, week 47');
    const week = root.intermediate('Line 2');
    const own = week.issue('chained');
    const good = secured.device('chained');
    const chained = { ...own, certificate: chainOf(own, week) };
    await secured.connected(good, withCertificate(chained, secured.server.certificate));
    await enrolls(good);
    const leaf = root.issue('leaf');
    const forger = selfSigned('forged');
    const ended = root.intermediate('Ended', { notBefore: new Date(0), notAfter: new Date(Date.now() - 1_000) });
    const endedLeaf = ended.issue('ended');
    const limited = root.intermediate('Limited', { pathLength: 0 });
    const beyond = limited.intermediate('Beyond the limit');
    const beyondLeaf = beyond.issue('beyond');
    const bad = secured.device('bad');
    for (const [certified, chain] of [
      [own, chainOf(own)],
      [line.issue('missing-link'), chainOf(line.issue('missing-link'), line)],
      [forger, chainOf(forger, leaf)],
      [endedLeaf, chainOf(endedLeaf, ended)],
      [beyondLeaf, chainOf(beyondLeaf, beyond, limited)],
    ] as const)
      await expect(
        secured.connect(
          bad,
          withCertificate({ certificate: chain, privateKey: certified.privateKey }, secured.server.certificate),
        ),
      ).rejects.toThrow();
  });

  it('a revoked serial number: disconnected, deregistered, and not let in again; the others stay', async () => {
    const authority = certificateAuthority('Revoking CA');
    const credential = { kind: 'authority' as const, certificate: authority.certificate, enrolment: true };
    const credentialId = await system.credential(credential);
    const between = authority.intermediate('Between');
    const [lost, kept, below] = [authority.issue('lost'), authority.issue('kept'), between.issue('below')];
    const chained = { ...below, certificate: chainOf(below, between) };
    const things = [secured.device('lost'), secured.device('kept'), secured.device('below')] as const;
    const shown = [lost, kept, chained].map((one) => withCertificate(one, secured.server.certificate));
    for (const [i, thing] of things.entries()) {
      await secured.connected(thing, shown[i]!);
      await enrolls(thing);
    }
    const serials = [lost, between].map((one) => new X509Certificate(one.certificate).serialNumber.toLowerCase());
    await system.credential({ ...credential, credentialId, revokedSerials: serials });
    for (const name of ['lost', 'below'])
      await system.fact(system.sessions, (v) => v.endpointName === name && v.reason === 'credential-withdrawn');
    await eventually(() => expect(things.map(({ connected: open }) => open)).toEqual([false, true, false]));
    for (const i of [0, 2]) await expect(secured.connect(things[i]!, shown[i]!)).rejects.toThrow();
    expect(await things[1].update()).toBe('2.04');
  });

  it('one of a trusted issuer names its device: why that is refused is in the event log of the device', async () => {
    const authority = certificateAuthority('Naming CA');
    await system.credential({ kind: 'authority', certificate: authority.certificate, enrolment: false });
    const ids = { 'other-name': newId(), 'out-of-date': newId() };
    for (const [name, deviceId] of Object.entries(ids)) await system.lifecycle(deviceId, name, 'created');
    const misnamed = secured.device('other-name');
    await secured.connected(misnamed, withCertificate(authority.issue('other-name'), secured.server.certificate));
    expect(await misnamed.register('not-its-name')).toBe('4.03');
    await system.knows(secured.proxy, 'out-of-date');
    const dates = { notBefore: new Date(0), notAfter: new Date(Date.now() - 1_000) };
    const expired = withCertificate(authority.issue('out-of-date', dates), secured.server.certificate);
    await expect(secured.connect(secured.device('out-of-date'), expired)).rejects.toThrow();
    for (const [deviceId, reason] of [
      [ids['other-name'], 'wrong-endpoint-name'],
      [ids['out-of-date'], 'expired-certificate'],
    ]) {
      const { value } = await system.fact(system.events, (v) => v.deviceId === deviceId);
      expect(value).toMatchObject({ accountId: system.accountId, eventCode: 'SYS_400', data: { reason } });
    }
  });

  it('refuses an issuer with only the same name, and expired certificates', async () => {
    const authority = certificateAuthority('Honest CA');
    await system.credential({ kind: 'authority', certificate: authority.certificate, enrolment: true });
    const good = secured.device('honest');
    await secured.connected(good, withCertificate(authority.issue('honest'), secured.server.certificate));
    const bad = secured.device('bad');
    const forged = certificateAuthority('Honest CA').issue('honest');
    const expired = authority.issue('honest', { notBefore: new Date(0), notAfter: new Date(Date.now() - 1_000) });
    for (const one of [forged, expired])
      await expect(secured.connect(bad, withCertificate(one, secured.server.certificate))).rejects.toThrow();
  });
});
