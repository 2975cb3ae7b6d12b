/** Whether tests take their long forms: `npm test -- --long`, as `.ci/run` does. */
export const isLongRun = process.env['LANYARD_TEST_LONG'] === 'true';
