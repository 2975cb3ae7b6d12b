import { ConfigError } from '@lanyard/service';
import { type Group, type SimulationContext } from '../device/simulation-context.js';
import { type FirmwareView, Result, State } from '../firmware/states.js';
import { Catalogue } from '../objects/catalogue.js';
import { Watches } from '../observation/watches.js';
import { Tally } from '../counts/tally.js';
import { type GroupSettings } from '../settings/group.js';
import { isSecure, type ServerUrl } from '../settings/server-url.js';
import { MissingCredentials } from '../errors.js';
import { type Credential, isPreSharedKey, readCredentials } from '../transport/credentials.js';
import { type Server } from '../transport/device-transport.js';
import { type Transports } from '../transport/transports.js';
import { GroupFleet } from './group-fleet.js';

const credentialsOf = ({ name, servers, credentialsFile, devices }: GroupSettings): Credential[] => {
  const [server] = servers;
  if (!server || !isSecure(server.scheme)) return [];
  if (credentialsFile === undefined) throw new MissingCredentials(name, server.scheme);
  const credentials = readCredentials(credentialsFile).slice(0, devices);
  if (server.scheme !== 'coaps' && !credentials.every(isPreSharedKey))
    throw new ConfigError('SIMULATOR_CREDENTIALS_FILE', 'certificates and raw public keys are for coaps:// only');
  return credentials;
};

/** Endpoint names: those of the credentials, or the prefix with a number. */
const namesOf = ({ devices, namePrefix }: GroupSettings, credentials: readonly Credential[]): string[] =>
  credentials.length > 0
    ? credentials.map(({ name }) => name)
    : Array.from({ length: devices }, (_, number) => `${namePrefix}-${number}`);

const neverUpdated = ({ firmware: { version } }: GroupSettings): FirmwareView => ({
  version,
  state: State.idle,
  result: Result.initial,
  uri: '',
  packageVersion: '',
});

/** The state that all groups of a fleet share. */
export interface FleetContext {
  context: SimulationContext;
  transports: Transports;
  /** Counts of the whole fleet. */
  whole: Tally;
}

/** Reads the credentials of the group and resolves its servers. Throws ConfigError. */
export const groupFleet = async (
  settings: GroupSettings,
  { context, transports, whole }: FleetContext,
): Promise<GroupFleet> => {
  const credentials = credentialsOf(settings);
  const resolved = async ({ host, port }: ServerUrl): Promise<Server> => {
    try {
      return { address: await context.resolve(host), port };
    } catch (error) {
      throw new ConfigError('SIMULATOR_SERVER', `names ${host}, which cannot be resolved: ${String(error)}`);
    }
  };
  const group: Group = {
    context,
    settings,
    servers: await Promise.all(settings.servers.map(resolved)),
    firmware: neverUpdated(settings),
    credentials,
    tally: new Tally(whole),
    watches: new Watches(),
    catalogue: new Catalogue(settings),
    catalogueBehind: new Catalogue(settings, true),
    transportOf: transports.transportOf(settings),
  };
  return new GroupFleet(group, namesOf(settings, credentials));
};

const sharedName = (name: string, groups: readonly GroupFleet[]): ConfigError => {
  const [first, second] = groups.map(({ group }) => `"${group.settings.name}"`);
  return new ConfigError('The endpoint name', `${name} is that of a device of group ${first} and of group ${second}`);
};

/** Throws ConfigError if two devices have the same endpoint name: they would take the registration from each other. */
export const refuseSharedNames = (groups: readonly GroupFleet[]): void => {
  const owners = new Map<string, GroupFleet>();
  for (const group of groups)
    for (const name of group.names) {
      const other = owners.get(name);
      if (other) throw sharedName(name, [other, group]);
      owners.set(name, group);
    }
  // The devices behind the gateway x are called x-0, x-1 …
  const numbered = /^(.*)-(0|[1-9]\d*)$/;
  for (const [name, group] of owners) {
    const [, gateway, number] = numbered.exec(name) ?? [];
    if (gateway === undefined) continue;
    const other = owners.get(gateway);
    if (other && Number(number) < other.group.settings.devicesBehind) throw sharedName(name, [other, group]);
  }
};
