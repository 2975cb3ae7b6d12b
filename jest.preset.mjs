/** Shared by every project: ESM tests compiled by SWC, real engines named by the environment (see tools/test.mjs). */
export default {
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/', '/.lanyard/'],
  extensionsToTreatAsEsm: ['.ts'],
  setupFiles: ['reflect-metadata'],
  coverageProvider: 'v8',
  testTimeout: 120_000,
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['@lanyard/source', 'node'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2022',
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
