import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, newId } from '@lanyard/service';
import { type DeviceSecurity, eventually, SecureDevice, selfSigned } from '@lanyard/testing';
import type { DtlsConfig } from '../src/config.js';
import { Listeners } from '../src/listeners/listeners.js';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem } from './test-system.js';

/** Of every device here. */
export const keyHex = '000102030405060708090a0b0c0d0e0f';
export const path = '3303/0/5700';

/** What devices connect over. Without ids, a connection belongs to an address (RFC 9146). */
export type Over = 'TLS' | 'DTLS' | 'DTLS without connection ids';

/** A replica that listens for TLS and DTLS, and devices that connect to it. */
export class SecureTestSystem {
  readonly devices: SecureDevice[] = [];

  private constructor(
    private readonly folder: string,
    readonly system: TestSystem,
    readonly proxy: RunningProxy,
    readonly server: ReturnType<typeof selfSigned>,
    private readonly over: Over,
  ) {}

  static async create(name: string, over: Over = 'TLS', campaignsUrls: string[] = []): Promise<SecureTestSystem> {
    const server = selfSigned('lanyard.example');
    const folder = await mkdtemp(join(tmpdir(), 'lanyard-tls-'));
    const [certificateFile, privateKeyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')];
    await writeFile(certificateFile, server.certificate);
    await writeFile(privateKeyFile, server.privateKey);
    const system = await TestSystem.create(name, { autoCreateDevices: false });
    const files = { certificateFile, privateKeyFile };
    const proxy = await system.proxy('dp-0', { dtls: files, tls: files, tcp: true, campaignsUrls });
    return new SecureTestSystem(folder, system, proxy, server, over);
  }

  device(name: string): SecureDevice {
    const overDtls = this.over === 'DTLS' ? {} : { connectionId: false as const };
    const one = new SecureDevice(name, this.over === 'TLS' ? 'stream' : overDtls);
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

  /** Another replica, for devices with pre-shared keys. */
  replica(replicaId: string, clock?: Clock): Promise<RunningProxy> {
    return this.system.proxy(replicaId, { dtls: {}, tls: {}, ...(clock && { clock }) });
  }

  /** Another replica with the certificate, over DTLS only. */
  certified(replicaId: string, dtls: Partial<DtlsConfig>): Promise<RunningProxy> {
    const [certificateFile, privateKeyFile] = [join(this.folder, 'server.crt'), join(this.folder, 'server.key')];
    return this.system.proxy(replicaId, { dtls: { certificateFile, privateKeyFile, ...dtls } });
  }

  /** Replaces the files of the listeners, as cert-manager does, and lets the listeners reload them. */
  async replaceCertificate({ certificate, privateKey }: { certificate: string; privateKey: string }): Promise<void> {
    await writeFile(join(this.folder, 'server.crt'), certificate);
    await writeFile(join(this.folder, 'server.key'), privateKey);
    await this.proxy.app.get(Listeners, { strict: false }).renewCertificates();
  }

  /** One attempt. Rejects when the device is not let in. */
  connect(one: SecureDevice, security: DeviceSecurity, to = this.proxy): Promise<void> {
    return one.connect(this.over === 'TLS' ? to.tlsPort : to.dtlsPort, security);
  }

  /** Waits until the proxy knows the credential, and the device if the directory has it. */
  async connected(one: SecureDevice, security: DeviceSecurity, to = this.proxy): Promise<void> {
    await this.system.knows(to, one.name);
    await eventually(() => this.connect(one, security, to));
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
