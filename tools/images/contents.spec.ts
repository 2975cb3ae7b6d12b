import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, it } from '@jest/globals';
import { neededBy } from '../../deploy/image/packages.ts';
import { copyStripped } from '../../deploy/image/strip.ts';
import { readAtRunTime } from '../lanyard/bundles.ts';
import { root } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';
import { lastStages } from './assembled.ts';

const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { dev?: boolean }>;
};

/** Paths of package folders, by service. */
const packagesOf = new Map(
  apps.map((app) => [app, [...neededBy(root, `apps/${app}`).packages].map((folder) => relative(root, folder))]),
);

it.each(apps)('the image of %s holds no package that is for development only', (app) => {
  const names = packagesOf.get(app) ?? [];
  expect(names).toContain('node_modules/kafkajs');
  expect(names.filter((name) => locked[name]?.dev)).toEqual([]);
});

it('a package that one service imports is in no other image', () => {
  const ofImages = apps.filter((app) => packagesOf.get(app)?.includes('node_modules/@aws-sdk/client-s3'));
  expect(ofImages).toEqual(['campaigns']);
});

it('the services that serve Swagger UI have its files in their images', () => {
  const serving = apps.filter((app) =>
    globSync(join(root, `apps/${app}/src/**/*.ts`)).some((file) =>
      readFileSync(file, 'utf8').includes('SwaggerModule.setup('),
    ),
  );
  expect(serving).toEqual(['gateway']);
  expect(apps.filter((app) => readAtRunTime[app]?.includes('swagger-ui-dist'))).toEqual(serving);
});

it('Node runs without its symbol table, and a file that is no program is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-strip-'));
  try {
    const stripped = join(folder, 'node');
    copyStripped(process.execPath, stripped);
    expect(statSync(stripped).size).toBeLessThan(statSync(process.execPath).size);
    const { stdout } = spawnSync(stripped, ['-p', 'process.version'], { encoding: 'utf8' });
    expect(stdout.trim()).toBe(process.version);
    expect(() => copyStripped(join(root, 'package.json'), stripped)).toThrow('no 64-bit little-endian ELF file');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the last stages of the Dockerfile take from a folder what they take from its build', () => {
  const stages = lastStages(readFileSync(join(root, 'Dockerfile'), 'utf8'));
  expect(stages).toMatch(/^ARG RUNTIME_IMAGE\nFROM \$\{RUNTIME_IMAGE\} AS runtime$/m);
  expect(stages).toContain('\nCOPY gateway console ./\n');
  expect(stages).toContain('\nCOPY --chown=65532:65532 run /run/lanyard\n');
  expect(stages).not.toContain('/out/');
});
