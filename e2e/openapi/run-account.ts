import { eventually, SecureDevice, withKey } from '@lanyard/testing';
import type { Application } from '../application.ts';
import { fresh } from '../journeys.ts';
import type { Operation } from './document.ts';

/**
 * Only an administrator of the installation may list, create and change accounts, and manage the keys of any account.
 * All other operations are called with keys of the account of the run.
 */
export const isForInstallation = ({ path }: Pick<Operation, 'path'>): boolean => path.startsWith('/v3/accounts');

/** An account created for one run, with an administrator and a registered device that has a temperature. */
export class RunAccount {
  private constructor(
    /** The administrator. */
    readonly admin: Application,
    readonly accountId: string,
    readonly deviceId: string,
    /** Ids that the run itself depends on: the account, its administrator key and the groups of that key. */
    readonly ids: readonly string[],
    private readonly device: SecureDevice,
  ) {}

  /** `tlsPort`: TLS port of the device-proxy. A device without security would belong to the account of the installation. */
  static async create(root: Application, tlsPort: number): Promise<RunAccount> {
    const { json: account } = await root.call('POST', '/v3/accounts', { display_name: fresh('run') });
    const admin = root.as(account.admin_key);
    const { json: key } = await admin.call('GET', '/v3/api-keys/me');
    const name = fresh('generated');
    const device = await admin.credentialOf(name);
    const client = new SecureDevice(name);
    // The device-proxy receives the credential and the account through Kafka.
    await eventually(() => client.connect(tlsPort, withKey(device.identity, device.key)));
    await eventually(async () => {
      const code = await client.register();
      if (code !== '2.01') throw new Error(`register: ${code}`);
    });
    return new RunAccount(admin, account.id, device.deviceId, [account.id, key.id, ...key.groups], client);
  }

  close(): Promise<void> {
    return this.device.close();
  }
}
