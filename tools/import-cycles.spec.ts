import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { importCycles } from './lanyard/import-cycles.ts';

describe('the check for import cycles', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cycles-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };

  const found = (): string[][] => importCycles(folder).map((cycle) => cycle.map((file) => basename(file)));

  it('finds a cycle through several files, and through re-exports', () => {
    write({
      'a.ts': `import { b } from './b.js';\nexport const a = b;\n`,
      'b.ts': `export * from './c.js';\nexport const b = 1;\n`,
      'c.ts': `import './a.js';\n`,
    });
    expect(found()).toEqual([['a.ts', 'b.ts', 'c.ts', 'a.ts']]);
  });

  it('finds a file that imports itself', () => {
    write({ 'a.ts': `import { a } from './a.js';\nexport { a };\n` });
    expect(found()).toEqual([['a.ts', 'a.ts']]);
  });

  it('takes imports of types, of packages, and diamonds', () => {
    write({
      'a.ts': `import type { B } from './b.js';\nimport fs from 'node:fs';\nexport type A = B | typeof fs;\n`,
      'b.ts': `import { a } from './a.js';\nimport { d } from './d.js';\nexport type B = typeof a & typeof d;\n`,
      'c.ts': `import './b.js';\nimport './d.js';\n`,
      'd.ts': `export const d = 1;\n`,
    });
    expect(found()).toEqual([]);
  });

  it('does not look into what is built or installed', () => {
    write({ 'dist/a.ts': `import './a.js';\n`, 'node_modules/a.ts': `import './a.js';\n` });
    expect(found()).toEqual([]);
  });
});
