import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { root } from './lanyard/project.ts';
import { layers, layersOf } from './lint/layers.ts';

const readme = (list: string): string =>
  `# app\n\n## Layers\n\nTop first.\n\n\`\`\`text\n${list}\n\`\`\`\n\n## Failure symptoms\n`;

describe('the list of layers in a README', () => {
  it('is read over several lines, with several names in a layer', () => {
    expect(layersOf(readme('api, explain -> queue\n  -> db -> errors'))).toEqual([
      ['api', 'explain'],
      ['queue'],
      ['db'],
      ['errors'],
    ]);
  });

  it('is not taken from another section', () => {
    expect(layersOf('## Layers\n\nNone.\n\n## Example\n\n```text\na -> b\n```\n')).toEqual([]);
    expect(layersOf('# app\n')).toBeUndefined();
  });

  it('stands in every project whose src has folders', () => {
    const projects = ['apps', 'libs'].flatMap((group) =>
      readdirSync(join(root, group)).map((name) => join(root, group, name)),
    );
    const withFolders = projects.filter(
      (project) =>
        existsSync(join(project, 'src')) &&
        readdirSync(join(project, 'src'), { withFileTypes: true }).some((entry) => entry.isDirectory()),
    );
    const without = withFolders.filter((project) => !layersOf(readFileSync(join(project, 'README.md'), 'utf8')));
    expect(without).toEqual([]);
  });
});

describe('lanyard/layers', () => {
  let folder: string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'layers-')));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  const found = (path: string, text: string): string[] =>
    new Linter({ cwd: folder })
      .verify(
        text,
        { files: ['**/*.ts'], plugins: { lanyard: { rules: { layers } } }, rules: { 'lanyard/layers': 'error' } },
        join(folder, path),
      )
      .map(({ message }) => message);

  it('reports, on the file that starts the app, a name that src does not have', () => {
    write('apps/app/README.md', readme('api -> queue -> errors'));
    write('apps/app/src/api/api.ts', '');
    write('apps/app/src/errors.ts', '');
    expect(found('apps/app/src/main.ts', '')).toEqual([
      "The list under '## Layers' in the README names 'queue', which src does not have.",
    ]);
    write('apps/app/src/queue/queue.ts', '');
    expect(found('apps/app/src/main.ts', '')).toEqual([]);
  });

  it('says which folder may not import from which', () => {
    write('libs/lib/README.md', readme('api -> queue'));
    expect(found('libs/lib/src/queue/queue.ts', `import '../api/api.js';`)).toEqual([
      "'queue' may not import from 'api': the README does not list it in a layer below (## Layers).",
    ]);
    expect(found('libs/lib/src/api/api.ts', `import '../queue/queue.js';\nimport './other.js';`)).toEqual([]);
    expect(found('libs/lib/src/index.ts', `export * from './api/api.js';`)).toEqual([
      "The list under '## Layers' in the README names 'api', which src does not have.",
      "The list under '## Layers' in the README names 'queue', which src does not have.",
    ]);
  });
});
