import preset from '../jest.preset.mjs';

/** Tests that compile devices, with tools that may be missing: `npm test -- --interop`, as `.ci/run` does. */
const byHand = process.env.LANYARD_INTEROP ? [] : ['/e2e/interop/'];

/** What takes long, or goes deeper than a short run has to: `npm test -- --long`, as `.ci/run` does. */
const inLongRuns = process.env.LANYARD_TEST_LONG ? [] : ['/e2e/long/'];

export default {
  ...preset,
  displayName: 'e2e',
  testPathIgnorePatterns: [...preset.testPathIgnorePatterns, ...byHand, ...inLongRuns],
};
