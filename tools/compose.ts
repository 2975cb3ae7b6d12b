/**
 * `npm run compose -- check`: starts docker-compose.yml, follows docs/tour.md, and checks that data survive `down` and `up`.
 * `npm run compose -- ARGUMENT...`: docker compose or podman-compose, whichever works here. `up` first creates missing secrets
 * and missing images of Kafka, PostgreSQL and Redis.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findCompose } from './compose/program.ts';
import { ensureInfrastructureImages } from './images/infrastructure.ts';
import { build } from './lanyard/install.ts';
import { root, run, Stop } from './lanyard/project.ts';

const usage = 'npm run compose -- check | ARGUMENT... of docker compose, for example: up -d';

/** Adds missing secrets to .env; without them, the compose file cannot be read. */
const ensureSecrets = () =>
  execFileSync(process.execPath, [join(root, 'deploy/compose/secrets.mjs')], { stdio: 'inherit' });

const pass = async (args: string[]) => {
  const { builder, command, first } = await findCompose();
  if (args.includes('up')) {
    ensureSecrets();
    await ensureInfrastructureImages(builder);
  }
  const [code] = await once(spawn(command, [...first, ...args], { cwd: root, stdio: 'inherit' }), 'exit');
  return (code as number | null) ?? 1;
};

await run(async () => {
  const args = process.argv.slice(2);
  if (args.length === 0 || args[0] === '--help') throw new Stop(usage);
  if (args[0] !== 'check') return pass(args);
  await build();
  // Imported late, because it needs the build.
  const { check } = await import('./compose/check.ts');
  return check();
});
