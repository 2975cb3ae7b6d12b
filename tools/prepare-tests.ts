/**
 * `node tools/prepare-tests.ts`: fetches and compiles, once per clone, the external programs that
 * `npm test -- --long --interop --install` needs. The tests do so themselves if these are missing; `.ci/run` does it during the build.
 */
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ensureBrowser } from './lanyard/browser.ts';
import { command } from './lanyard/command-line.ts';
import { environmentOfCompiledDevices } from './lanyard/compiled-devices.ts';
import { fetchInfrastructure } from './lanyard/fetch-infrastructure.ts';
import { prepareLibcoap, prepareNodeDtls, preparePion, prepareWakaama } from './lanyard/foreign-programs.ts';
import { prepareJava } from './lanyard/java-programs.ts';
import { root } from './lanyard/project.ts';
import { environmentOfPython } from './lanyard/python-packages.ts';

await command({ usage: 'node tools/prepare-tests.ts' }, async () => {
  ensureBrowser();
  await fetchInfrastructure();
  for (const pom of globSync(join(root, 'e2e/*/pom.xml'))) await prepareJava(basename(dirname(pom)));
  const { LIBCOAP_FLAGS, LANYARD_GO } = environmentOfCompiledDevices({ installs: true });
  await prepareLibcoap(LIBCOAP_FLAGS);
  await prepareWakaama();
  await prepareNodeDtls();
  if (LANYARD_GO) await preparePion();
  environmentOfPython({ required: true });
});
