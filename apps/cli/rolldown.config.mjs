// The program with everything it needs in one file, and the licences of what it contains.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the package that a file belongs to; undefined for files of this repository. */
const packageOf = (file) => {
  if (!file.includes('node_modules')) return undefined;
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    // A folder inside a package may have a manifest that only names a module system.
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return folder;
  }
  return undefined;
};

const noticeOf = (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  if (text === '') throw new Error(`${name} has no text of its licence, ${license}.`);
  return `${name} ${version} (${license})\n\n${text}\n`;
};

const notices = {
  name: 'notices',
  generateBundle(_, bundle) {
    const files = Object.values(bundle).flatMap((chunk) => Object.keys(chunk.modules ?? {}));
    const folders = [...new Set(files.map(packageOf).filter((folder) => folder !== undefined))].sort();
    const source = folders.map(noticeOf).join(`\n${'-'.repeat(78)}\n\n`);
    this.emitFile({ type: 'asset', fileName: 'NOTICES.txt', source });
  },
};

export default {
  input: 'dist/main.js',
  platform: 'node',
  output: { dir: 'bundle', entryFileNames: 'main.js', format: 'esm', codeSplitting: false },
  plugins: [notices],
};
