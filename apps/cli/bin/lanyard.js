#!/usr/bin/env node
import { existsSync } from 'node:fs';

// The package has one file with everything in it; the repository has what the compiler writes.
const program = ['../bundle/main.js', '../dist/main.js']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url));

if (program) await import(program.href);
else {
  process.stderr.write('The command line is not built yet: run "npm run build" in the root of the repository.\n');
  process.exitCode = 2;
}
