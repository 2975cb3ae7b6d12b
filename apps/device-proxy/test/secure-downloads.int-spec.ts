import { randomBytes } from 'node:crypto';
import { formatCode } from '@lanyard/coap';
import { newId, newTicket } from '@lanyard/service';
import { eventually, withKey } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PackageServer } from './package-server.js';
import { keyHex, type Over, SecureTestSystem } from './secure-test-system.js';

describe.each<Over>(['TLS', 'DTLS'])('GET /downloads/{ticket} over %s', (over) => {
  let secured: SecureTestSystem;
  let packages: PackageServer;
  const body = randomBytes(100_000);

  beforeAll(async () => {
    packages = await PackageServer.start();
    secured = await SecureTestSystem.create(`downloads-${over}`, over, [packages.url]);
  });
  afterAll(async () => {
    await secured.closeDevices();
    await secured.close();
    await packages.close();
  });

  const connected = async (name: string) => {
    const { deviceId, identity } = await secured.directory(name);
    const device = secured.device(name);
    await secured.connected(device, withKey(identity, keyHex));
    const ticket = newTicket();
    packages.open(ticket, deviceId, body);
    return { deviceId, device, ticket };
  };

  it('gives the package to its device, and to no other one of the account', async () => {
    const [mine, other] = [await connected('mine'), await connected('other')];
    const given = await mine.device.get(['downloads', mine.ticket]);
    expect([formatCode(given.code), given.payload.equals(body)]).toEqual(['2.05', true]);
    expect(formatCode((await other.device.get(['downloads', mine.ticket])).code)).toBe('4.04');
    expect(formatCode((await other.device.get(['downloads', other.ticket])).code)).toBe('2.05');
  });

  it('gives the package of a device behind a gateway to that gateway, and to no other one', async () => {
    const [gateway, other] = [await connected('gateway'), await connected('other-gateway')];
    const behind = newId();
    await secured.system.lifecycle(behind, 'behind', 'created', { hostGateway: gateway.deviceId });
    const ticket = newTicket();
    packages.open(ticket, behind, body);
    const codeFor = async ({ device }: typeof gateway): Promise<string> =>
      formatCode((await device.get(['downloads', ticket])).code);
    await eventually(async () => expect(await codeFor(gateway)).toBe('2.05'));
    expect(await codeFor(other)).toBe('4.04');
  });
});
