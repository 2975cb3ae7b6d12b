/** Names, addresses and folders of the local cluster. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { dataFolder } from '../lanyard/project.ts';

/** Networks of Pods and Services, which exist only inside the namespaces. */
export const podNetwork = '10.244.0.0/16';
export const serviceNetwork = '10.96.0.0/16';
export const kubernetesService = '10.96.0.1';
export const dnsService = '10.96.0.10';

export const nodesMax = 9;

/** Addresses in a /24 network that this machine and the nodes share. */
const hostEnd = 254;
const controlEnd = 1;
const firstNodeEnd = 11;

const defaultNetwork = '10.77.0';

export interface Member {
  name: string;
  address: string;
  folder: string;
  /** Network of its pods; the control plane has none. */
  pods?: string;
}

export interface Plan {
  folder: string;
  network: string;
  /** The only link that this machine sees, and its address on it, where infrastructure and applications are reached. */
  link: string;
  host: string;
  control: Member;
  nodes: Member[];
}

/** @param network the first three numbers of the /24; by default, that of LANYARD_CLUSTER_NETWORK */
export const planOf = (
  nodes: number,
  {
    folder = join(dataFolder(), 'cluster'),
    network = process.env.LANYARD_CLUSTER_NETWORK || defaultNetwork,
  }: { folder?: string; network?: string } = {},
): Plan => {
  const member = (name: string, end: number): Member => ({
    name,
    address: `${network}.${end}`,
    folder: join(folder, name),
  });
  return {
    folder,
    network: `${network}.0/24`,
    // A link name has at most 15 characters.
    link: `ly${network.replaceAll('.', '-')}`,
    host: `${network}.${hostEnd}`,
    control: member('control', controlEnd),
    nodes: Array.from({ length: nodes }, (_, n) => ({
      ...member(`node${n + 1}`, firstNodeEnd + n),
      pods: `10.244.${n + 1}.0/24`,
    })),
  };
};

/** What is built once on a machine, for all clones and clusters. */
export const cacheFolder = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lanyard');
