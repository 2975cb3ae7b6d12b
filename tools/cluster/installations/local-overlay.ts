/** k8s/overlays/local, with its own infrastructure, as k8s/README.md says. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { infrastructureImages, ensureInfrastructureImages } from '../../images/infrastructure.ts';
import { chooseBuilder } from '../../images/programs.ts';
import { runProgram } from '../../lanyard/programs.ts';
import { root, say } from '../../lanyard/project.ts';
import { devSecrets } from '../../manifests/dev-secrets.ts';
import { Installation } from '../installation.ts';
import { namespace, packagesVolume } from '../overlay.ts';

const infrastructureNamespace = 'lanyard-infrastructure';
const servers = ['lanyard-kafka', 'lanyard-postgresql', 'redis'];

export class LocalOverlay extends Installation {
  private path(...parts: string[]) {
    return join(this.cluster.plan.folder, ...parts);
  }

  override async loadImages(given?: string, tag?: string) {
    await super.loadImages(given, tag);
    const builder = chooseBuilder(undefined);
    await ensureInfrastructureImages(builder);
    const archive = join(this.cluster.folderOfImages, 'infrastructure.tar');
    rmSync(archive, { force: true });
    const several = builder === 'docker' ? [] : ['--multi-image-archive'];
    const names = infrastructureImages().map(([, image]) => image);
    await runProgram(builder, ['save', '--output', archive, ...several, ...names]);
    this.cluster.load(archive);
  }

  /** Volumes for the claims, on the machine itself, because the cluster has no other storage. */
  private volumes() {
    const volume = (claim: string, claimNamespace: string) => {
      const { spec, ...made } = packagesVolume(this.path('volumes', claim));
      const claimRef = { namespace: claimNamespace, name: claim };
      return { ...made, metadata: { name: claim }, spec: { ...spec, claimRef } };
    };
    return [
      volume('campaigns-packages', namespace),
      ...servers.map((server) => volume(`data-${server}-0`, infrastructureNamespace)),
    ];
  }

  /** An overlay that allows callbacks to this machine, whose address is private. */
  private writeOverlay() {
    const folder = this.path('overlay');
    mkdirSync(folder, { recursive: true });
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [relative(folder, join(root, 'k8s/overlays/local'))],
      configMapGenerator: [
        {
          name: 'lanyard-dispatcher',
          namespace,
          behavior: 'merge',
          literals: [`DISPATCHER_CALLBACK_ALLOW_CIDRS=${this.cluster.plan.network}`],
        },
      ],
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization, null, 2));
    return folder;
  }

  override async install() {
    const { kubectl } = this;
    const environment = this.path('env');
    execFileSync(process.execPath, [join(root, 'deploy/compose/secrets.mjs'), environment], { stdio: 'ignore' });
    await kubectl.apply(devSecrets(parseEnv(readFileSync(environment, 'utf8')) as Record<string, string>));
    await kubectl.apply(this.volumes());
    await kubectl.run(['apply', '-k', this.writeOverlay()]);
    for (const server of servers) {
      await kubectl.rolledOut(infrastructureNamespace, `statefulset/${server}`, 300_000);
      say(`${server} is ready`);
    }
    await this.rolledOut();
    await this.fetchKey();
  }
}
