import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runProgram } from '../lanyard/programs.ts';
import { Stop } from '../lanyard/project.ts';
import { coreDnsManifests, withImages } from './addons.ts';
import { writeProgramImages } from './archive.ts';
import { apiServer } from './control-plane.ts';
import { Kubectl } from './kubectl.ts';
import { containerdConfig, kubeletConfig, podNetworkConfig } from './node.ts';
import { planOf } from './plan.ts';
import { goModOf } from './programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-cluster-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const plan = planOf(3, { folder: '/data/cluster', network: '10.99.7' });

describe('the plan of a local cluster', () => {
  it('gives every node an address, a folder and a network for its pods of its own', () => {
    const { nodes, control, host } = plan;
    for (const part of ['name', 'address', 'folder', 'pods'] as const)
      expect(new Set(nodes.map((node) => node[part])).size).toBe(3);
    expect(new Set([host, control.address, ...nodes.map(({ address }) => address)]).size).toBe(5);
  });

  it('names a link that Linux accepts', () => {
    expect(planOf(1, { network: '255.255.255' }).link.length).toBeLessThanOrEqual(15);
  });
});

describe('what the programs of a node are told', () => {
  it('keeps nodes apart that share a machine', () => {
    const [one, two] = plan.nodes;
    if (!one || !two) throw new Error('no nodes');
    expect(kubeletConfig(plan, one).cgroupRoot).not.toBe(kubeletConfig(plan, two).cgroupRoot);
    expect(containerdConfig(one)).toContain(`root = "${one.folder}/containerd"`);
    expect(podNetworkConfig(two).plugins[0]?.ipam).toMatchObject({
      dataDir: `${two.folder}/addresses`,
      ranges: [[{ subnet: two.pods }]],
    });
  });

  it('advertises the API server at the address that nodes reach', () => {
    expect(apiServer(plan)).toContain('--advertise-address=10.99.7.1');
  });
});

describe('modules to be built', () => {
  const goMod = [
    'module k8s.io/kubernetes',
    '',
    'require k8s.io/api v0.0.0',
    '',
    'replace (',
    '\tk8s.io/api => ./staging/src/k8s.io/api',
    '\texample.com/fork => example.com/other v1.2.3',
    ')',
    '',
  ].join('\n');

  it('repeat the replacements of their source, whose own folders are published as versions', () => {
    const written = goModOf(goMod, { module: 'k8s.io/kubernetes', version: 'v1.34.2', staging: 'v0.34.2' });
    expect(written).toContain('require k8s.io/kubernetes v1.34.2');
    expect(written).toContain('\tk8s.io/api => k8s.io/api v0.34.2');
    expect(written).toContain('\texample.com/fork => example.com/other v1.2.3');
  });
});

describe('add-ons', () => {
  const template = [
    'kind: ConfigMap',
    'metadata: { name: coredns }',
    'data:',
    '  Corefile: |',
    '    .:53 {',
    '        kubernetes __DNS__DOMAIN__ {',
    '        }',
    '        forward . /etc/resolv.conf {',
    '            max_concurrent 1000',
    '        }',
    '        loop',
    '    }',
    '',
  ].join('\n');

  it('ask no name server outside the cluster, which would be themselves', () => {
    const [map] = coreDnsManifests(template.replaceAll(/^ {4}(?= )/gm, '    '));
    expect(map?.data?.['Corefile']).toContain('kubernetes cluster.local');
    expect(map?.data?.['Corefile']).not.toMatch(/forward|loop/);
  });

  it('run the programs that were built here', () => {
    const container = {
      name: 'keda-metrics-apiserver',
      image: 'ghcr.io/kedacore/keda-metrics-apiserver:main',
      imagePullPolicy: 'Always',
      args: ['/usr/local/bin/keda-adapter', '--client-ca-file', '/certs/ca.crt'],
    };
    const manifest = {
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { template: { spec: { containers: [container] } } },
    };
    expect(withImages('keda', manifest).spec?.template?.spec.containers).toEqual([
      {
        name: 'keda-metrics-apiserver',
        image: 'localhost/lanyard/keda-adapter:v2.17.2',
        imagePullPolicy: 'IfNotPresent',
        args: ['--client-ca-file', '/certs/ca.crt'],
      },
    ]);
  });
});

describe('an image of one program', () => {
  const tar = (...args: string[]) => spawnSync('tar', args, { encoding: 'buffer' }).stdout;

  it('contains it, under the digest that its configuration states', () => {
    const program = join(folder, 'hello');
    writeFileSync(program, 'hello', { mode: 0o755 });
    const archive = join(folder, 'image.tar');
    writeProgramImages(archive, [{ name: 'localhost/hello:1', program, user: '1:1' }]);
    const [image] = JSON.parse(tar('-xOf', archive, './manifest.json').toString());
    expect(image.RepoTags).toEqual(['localhost/hello:1']);
    const config = JSON.parse(tar('-xOf', archive, `./${image.Config}`).toString());
    expect(config.config).toEqual({ Entrypoint: ['/hello'], User: '1:1' });
    const layer = tar('-xOf', archive, `./${image.Layers[0]}`);
    expect(config.rootfs.diff_ids).toEqual([`sha256:${createHash('sha256').update(layer).digest('hex')}`]);
    writeFileSync(join(folder, 'layer.tar'), layer);
    expect(tar('-xOf', join(folder, 'layer.tar'), 'hello').toString()).toBe(readFileSync(program, 'utf8'));
  });
});

describe('a program that is missing', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['kubectl', () => new Kubectl('lanyard-no-kubectl').run(['version'])],
    ['another one', () => runProgram('lanyard-no-program', [])],
  ])('is named without a stack: %s', async (_, run) => {
    const problem: unknown = await run().catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(Stop);
    expect(String(problem)).toMatch(/lanyard-no-\w+ ENOENT/);
  });
});
