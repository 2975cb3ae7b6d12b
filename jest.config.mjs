/** Everything in one process: `npx jest` runs every project's tests. */
export default {
  // What jest takes from the root only.
  workerIdleMemoryLimit: '2GB',
  testSequencer: '<rootDir>/tools/jest/sequencer.ts',
  // Longer than `eventually` waits: a wait that times out says what it waited for.
  testTimeout: 600_000,
  projects: [
    '<rootDir>/apps/*/jest.config.mjs',
    '<rootDir>/libs/*/jest.config.mjs',
    '<rootDir>/tools/jest.config.mjs',
    '<rootDir>/e2e/jest.config.mjs',
    '<rootDir>/faults/jest.config.mjs',
    '<rootDir>/bench/jest.config.mjs',
  ],
};
