import { type Account } from '../bootstrap/account.js';
import { BootstrapClient } from '../bootstrap/bootstrap-client.js';
import { type Scheme } from '../settings/server-url.js';
import { type Proof } from '../transport/credentials.js';
import { type DeviceTransport, type Server } from '../transport/device-transport.js';
import { type Group } from './simulation-context.js';

/** The `Link` of a device without an account, whose transport is replaced by one to the bootstrap server. */
interface BootstrapLink {
  transport: DeviceTransport;
  /** Answers the requests of the bootstrap server while the device bootstraps. */
  bootstrap: BootstrapClient | undefined;
  transportTo(scheme: Scheme, credential?: Proof): DeviceTransport;
}

/** The account that devices of the group have when they leave the factory; undefined if they have to bootstrap. */
export const firstAccount = ({ settings }: Group): Account | undefined =>
  settings.bootstrap === 'none'
    ? { servers: settings.servers, credential: undefined, lifetimeSeconds: settings.lifetimeSeconds }
    : undefined;

export const serversOf = (account: Account, { context }: Group): Promise<Server[]> =>
  Promise.all(account.servers.map(async ({ host, port }) => ({ address: await context.resolve(host), port })));

/** Asks the bootstrap server for an account, with the factory credential. Rejects with Refused, or with the errors of transports. */
export const bootstrapped = async (
  { name, number, group }: { name: string; number: number; group: Group },
  link: BootstrapLink,
): Promise<Account> => {
  const { settings, tally, context } = group;
  const at = number % group.servers.length;
  const [url, server] = [settings.servers[at], group.servers[at]];
  if (!url || !server) throw new RangeError('a group has a server');
  const uri = `${url.scheme}://${url.host.includes(':') ? `[${url.host}]` : url.host}:${url.port}`;
  const client = new BootstrapClient({ ...settings, name, uri, timers: context.timers });
  const before = link.transport;
  link.transport = link.transportTo(url.scheme, group.credentials[number]);
  link.bootstrap = client;
  try {
    await before.close();
    await link.transport.open(server);
    const account = await (settings.bootstrap === 'pack'
      ? client.pack(link.transport)
      : client.request(link.transport));
    tally.count('bootstrapped');
    return account;
  } catch (error) {
    tally.count('bootstrap-failed');
    throw error;
  } finally {
    link.bootstrap = undefined;
    await link.transport.close();
  }
};
