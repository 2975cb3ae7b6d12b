import { expect, it } from '@jest/globals';
import { flowsIn, isOfPod } from './flows.ts';
import { mebibytes, millicores } from './usage.ts';

it('reads who opened a connection, and the pod that a Service led it to', () => {
  const text = [
    'tcp      6 86395 ESTABLISHED src=10.244.1.5 dst=10.96.12.3 sport=40112 dport=8080 src=10.244.2.7 dst=10.244.1.5 sport=8081 dport=40112 [ASSURED] mark=0 use=1',
    'udp      17 29 src=10.77.0.254 dst=10.77.0.11 sport=5000 dport=30683 src=10.244.1.9 dst=10.77.0.254 sport=5683 dport=5000 mark=0 use=1',
    'tcp      6 100 SYN_SENT src=10.244.1.5 dst=10.244.2.9 sport=1 dport=2 [UNREPLIED] src=10.244.2.9 dst=10.244.1.5 sport=2 dport=1 mark=0 use=1',
    'icmp     1 29 src=10.244.1.5 dst=10.244.2.9 type=8 code=0 id=1 src=10.244.2.9 dst=10.244.1.5 type=0 code=0 id=1 mark=0 use=1',
  ].join('\n');
  expect(flowsIn(text)).toEqual([
    { protocol: 'TCP', from: '10.244.1.5', to: '10.244.2.7', port: 8081 },
    { protocol: 'UDP', from: '10.77.0.254', to: '10.244.1.9', port: 5683 },
  ]);
});

it('knows which addresses pods have, on every node', () => {
  expect(['10.244.1.9', '10.244.3.40', '10.77.0.254', '10.96.0.10'].map(isOfPod)).toEqual([true, true, false, false]);
});

it('reads quantities as Kubernetes writes them', () => {
  expect([millicores('50m'), millicores('2'), millicores('1500000n')]).toEqual([50, 2_000, 1.5]);
  expect([mebibytes('384Mi'), mebibytes('1Gi'), mebibytes('2048Ki')]).toEqual([384, 1_024, 2]);
});
