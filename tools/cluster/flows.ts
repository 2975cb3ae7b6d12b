/** Reads lines of `conntrack -L`: who opened a connection, and the real address and port that it reached behind a Service. */
import { BlockList } from 'node:net';
import { podNetwork } from './plan.ts';

export interface Flow {
  protocol: string;
  from: string;
  to: string;
  port: number;
}

const addresses = /^(tcp|udp)\s.*?\bsrc=(\S+) dst=\S+ sport=\d+ dport=\d+ .*?\bsrc=(\S+) dst=\S+ sport=(\d+) /;

/** A first packet that was never answered reached no server. */
const isUnanswered = (line: string) => line.includes('[UNREPLIED]');

export const flowsIn = (text: string): Flow[] =>
  text.split('\n').flatMap((line) => {
    const [, protocol, from, to, port] = addresses.exec(line) ?? [];
    if (!protocol || !from || !to || isUnanswered(line)) return [];
    return [{ protocol: protocol.toUpperCase(), from, to, port: Number(port) }];
  });

const pods = new BlockList();
const [network = '', prefix] = podNetwork.split('/');
pods.addSubnet(network, Number(prefix));

/** Whether the address is one of a pod, or of the link between the pods of a node and the node. */
export const isOfPod = (address: string) => pods.check(address);
