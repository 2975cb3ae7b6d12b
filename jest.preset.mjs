/** Shared by every project: tests in TypeScript, real infrastructure named by the environment (see tools/test.ts). */
import { fileURLToPath } from 'node:url';

const own = (name) => fileURLToPath(new URL(`tools/jest/${name}.ts`, import.meta.url));

export default {
  runtime: own('runtime'),
  testEnvironment: own('environment'),
  testRunner: own('test-runner'),
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/', '/.lanyard/'],
  transform: {},
};
