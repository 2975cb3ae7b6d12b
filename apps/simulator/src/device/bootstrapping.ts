import { type Account } from '../bootstrap/account.js';
import { BootstrapClient } from '../bootstrap/bootstrap-client.js';
import { type Scheme } from '../settings/server-url.js';
import { type DeviceTransport, type Server } from '../transport/device-transport.js';
import { type Group } from './world.js';

/** A device without an account. */
interface Applicant {
  readonly number: number;
  readonly name: string;
  readonly group: Group;
  transport: DeviceTransport;
  /** That answers the requests of the bootstrap server meanwhile. */
  bootstrap: BootstrapClient | undefined;
  transportTo(scheme: Scheme, credential?: Account['credential']): DeviceTransport;
}

/** The account that devices of the group leave the factory with; undefined if they have to bootstrap. */
export const firstAccount = ({ settings }: Group): Account | undefined =>
  settings.bootstrap === 'none'
    ? { servers: settings.servers, credential: undefined, lifetimeSeconds: settings.lifetimeSeconds }
    : undefined;

export const serversOf = (account: Account, { world }: Group): Promise<Server[]> =>
  Promise.all(account.servers.map(async ({ host, port }) => ({ address: await world.resolve(host), port })));

/** Asks the bootstrap server for an account, with the credential of the factory. Rejects with Refused, or as transports do. */
export const bootstrapped = async (device: Applicant): Promise<Account> => {
  const { name, number, group } = device;
  const { settings, tally, world } = group;
  const at = number % group.servers.length;
  const [url, server] = [settings.servers[at], group.servers[at]];
  if (!url || !server) throw new RangeError('a group has a server');
  const uri = `${url.scheme}://${url.host.includes(':') ? `[${url.host}]` : url.host}:${url.port}`;
  const client = new BootstrapClient({ ...settings, name, uri, timers: world.timers });
  const before = device.transport;
  device.transport = device.transportTo(url.scheme, group.credentials[number]);
  device.bootstrap = client;
  try {
    await before.close();
    await device.transport.open(server);
    const account = await (settings.bootstrap === 'pack'
      ? client.pack(device.transport)
      : client.request(device.transport));
    tally.count('bootstrapped');
    return account;
  } catch (error) {
    tally.count('bootstrap-failed');
    throw error;
  } finally {
    device.bootstrap = undefined;
    await device.transport.close();
  }
};
