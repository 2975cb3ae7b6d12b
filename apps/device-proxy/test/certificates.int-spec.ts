import { X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { certificateAuthority, eventually, selfSigned, withCertificate } from '@lanyard/testing';
import type { RunningProxy } from './running-proxy.js';
import { type Harness } from './harness.js';
import { patient, SecureStage } from './secure-stage.js';

describe('devices and their certificates', () => {
  let stage: SecureStage;
  let harness: Harness;
  let proxy: RunningProxy;

  beforeAll(async () => {
    stage = await SecureStage.create('certificates');
    ({ harness, proxy } = stage);
  }, 180_000);
  afterEach(() => stage.closeDevices());
  afterAll(() => stage.close());

  const fingerprintOf = (pem: string): string =>
    new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

  it('its own certificate lets a device in, another one does not', async () => {
    const deviceId = newId();
    await harness.lifecycle(deviceId, 'x509-1', 'created');
    const own = selfSigned('whatever');
    const fingerprint = fingerprintOf(own.certificate);
    const credentialId = await harness.credential({ kind: 'certificate', deviceId, fingerprint });
    const thing = stage.device('x509-1');
    await stage.connected(thing, withCertificate(own, stage.server.certificate));
    expect(await thing.register()).toBe('2.01');
    expect((await stage.registered('x509-1')).value.deviceId).toBe(deviceId);
    const stranger = stage.device('x509-1');
    const other = withCertificate(selfSigned('whatever'), stage.server.certificate);
    await expect(stranger.connect(proxy.tlsPort, other)).rejects.toThrow();
    const { cert: _cert, key: _key, ...bare } = withCertificate(own, stage.server.certificate);
    await expect(stranger.connect(proxy.tlsPort, bare)).rejects.toThrow();
    await harness.withdraw(credentialId);
    await eventually(() => expect(thing.connected).toBe(false), patient);
  });

  it('one of a trusted issuer: the common name is the endpoint, unknown ones come with enrolment only', async () => {
    const authority = certificateAuthority('Factory');
    const credential = { kind: 'authority' as const, certificate: authority.certificate };
    const credentialId = await harness.credential({ ...credential, enrolment: false });
    const thing = stage.device('born-today');
    const tls = withCertificate(authority.issue('born-today'), stage.server.certificate);
    await stage.connected(thing, tls);
    expect(await thing.register('another-name')).toBe('4.03');
    expect(await thing.register()).toBe('4.03');
    await harness.credential({ ...credential, credentialId, enrolment: true });
    await eventually(async () => {
      await thing.connect(proxy.tlsPort, tls);
      expect(await thing.register()).toBe('2.01');
    });
    expect((await stage.registered('born-today')).value).toMatchObject({
      firstContact: true,
      accountId: harness.accountId,
    });
    await harness.withdraw(credentialId);
    await eventually(() => expect(thing.connected).toBe(false), patient);
    await expect(thing.connect(proxy.tlsPort, tls)).rejects.toThrow();
  });

  const chainOf = (...links: { certificate: string }[]): string => links.map((one) => one.certificate).join('');

  it('issuers between, that the device sends, count; one that may not sign, or that has ended, does not', async () => {
    const root = certificateAuthority('Root');
    await harness.credential({ kind: 'authority', certificate: root.certificate, enrolment: true });
    const line = root.intermediate('Line 1').intermediate('Line 1, week 47');
    const week = root.intermediate('Line 2');
    const own = week.issue('chained');
    const good = stage.device('chained');
    const chained = { ...own, certificate: chainOf(own, week) };
    await stage.connected(good, withCertificate(chained, stage.server.certificate));
    expect(await good.register()).toBe('2.01');
    const leaf = root.issue('leaf');
    const forger = selfSigned('forged');
    const ended = root.intermediate('Ended', { notBefore: new Date(0), notAfter: new Date(Date.now() - 1_000) });
    const endedLeaf = ended.issue('ended');
    const bad = stage.device('bad');
    for (const [certified, chain] of [
      [own, chainOf(own)],
      [line.issue('missing-link'), chainOf(line.issue('missing-link'), line)],
      [forger, chainOf(forger, leaf)],
      [endedLeaf, chainOf(endedLeaf, ended)],
    ] as const)
      await expect(
        bad.connect(
          proxy.tlsPort,
          withCertificate({ certificate: chain, privateKey: certified.privateKey }, stage.server.certificate),
        ),
      ).rejects.toThrow();
  });

  it('a revoked serial number: disconnected, deregistered, and not let in again; the others stay', async () => {
    const authority = certificateAuthority('Revoking CA');
    const credential = { kind: 'authority' as const, certificate: authority.certificate, enrolment: true };
    const credentialId = await harness.credential(credential);
    const between = authority.intermediate('Between');
    const [lost, kept, below] = [authority.issue('lost'), authority.issue('kept'), between.issue('below')];
    const chained = { ...below, certificate: chainOf(below, between) };
    const things = [stage.device('lost'), stage.device('kept'), stage.device('below')] as const;
    const shown = [lost, kept, chained].map((one) => withCertificate(one, stage.server.certificate));
    for (const [i, thing] of things.entries()) {
      await stage.connected(thing, shown[i]);
      expect(await thing.register()).toBe('2.01');
    }
    const serials = [lost, between].map((one) => new X509Certificate(one.certificate).serialNumber.toLowerCase());
    await harness.credential({ ...credential, credentialId, revokedSerials: serials });
    for (const name of ['lost', 'below'])
      await harness.fact(harness.sessions, (v) => v.endpointName === name && v.reason === 'credential-withdrawn');
    await eventually(() => expect(things.map(({ connected: open }) => open)).toEqual([false, true, false]), patient);
    for (const i of [0, 2]) await expect(things[i]!.connect(proxy.tlsPort, shown[i])).rejects.toThrow();
    expect(await things[1].update()).toBe('2.04');
  });

  it('refuses an issuer with only the same name, and expired certificates', async () => {
    const authority = certificateAuthority('Honest CA');
    await harness.credential({ kind: 'authority', certificate: authority.certificate, enrolment: true });
    const good = stage.device('honest');
    await stage.connected(good, withCertificate(authority.issue('honest'), stage.server.certificate));
    const bad = stage.device('bad');
    const forged = certificateAuthority('Honest CA').issue('honest');
    const expired = authority.issue('honest', { notBefore: new Date(0), notAfter: new Date(Date.now() - 1_000) });
    for (const one of [forged, expired])
      await expect(bad.connect(proxy.tlsPort, withCertificate(one, stage.server.certificate))).rejects.toThrow();
  });
});
