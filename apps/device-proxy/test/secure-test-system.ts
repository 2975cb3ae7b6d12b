import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@lanyard/service';
import { eventually, SecureDevice, selfSigned } from '@lanyard/testing';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem } from './test-system.js';

/** Of every device here. */
export const keyHex = '000102030405060708090a0b0c0d0e0f';
export const path = '3303/0/5700';

/** A device is out within five seconds; a slow machine may take longer. */
export const patient = { timeoutMs: 25_000 };

/** A replica that listens for TLS, and devices that connect to it. */
export class SecureTestSystem {
  readonly devices: SecureDevice[] = [];

  private constructor(
    private readonly folder: string,
    readonly system: TestSystem,
    readonly proxy: RunningProxy,
    readonly server: ReturnType<typeof selfSigned>,
  ) {}

  static async create(name: string): Promise<SecureTestSystem> {
    const server = selfSigned('lanyard.example');
    const folder = await mkdtemp(join(tmpdir(), 'lanyard-tls-'));
    const [certificateFile, privateKeyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')];
    await writeFile(certificateFile, server.certificate);
    await writeFile(privateKeyFile, server.privateKey);
    const system = await TestSystem.create(name, { autoCreateDevices: false });
    const proxy = await system.proxy('dp-0', { tls: { certificateFile, privateKeyFile }, tcp: true });
    return new SecureTestSystem(folder, system, proxy, server);
  }

  device(name: string): SecureDevice {
    const one = new SecureDevice(name);
    this.devices.push(one);
    return one;
  }

  /** A device of the directory, with a pre-shared key. */
  async directory(name: string): Promise<{ deviceId: string; identity: string; credentialId: string }> {
    const deviceId = newId();
    await this.system.lifecycle(deviceId, name, 'created');
    const identity = `id-${name}`;
    return { deviceId, identity, credentialId: await this.system.credential({ deviceId, identity, key: keyHex }) };
  }

  /** Waits until the proxy knows the credential. */
  connected(one: SecureDevice, tls: Parameters<SecureDevice['connect']>[1], to = this.proxy): Promise<void> {
    return eventually(() => one.connect(to.tlsPort, tls));
  }

  registered(name: string) {
    const { system } = this;
    return system.fact(system.sessions, (v) => v.endpointName === name && v.change === 'registered');
  }

  async closeDevices(): Promise<void> {
    await Promise.all(this.devices.splice(0).map((device) => device.close()));
  }

  async close(): Promise<void> {
    await this.system.close();
    await rm(this.folder, { recursive: true });
  }
}
