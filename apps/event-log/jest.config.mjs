import preset from '../../jest.preset.mjs';

/** What does not answer in time is left to the end of the process. */
export default { ...preset, displayName: 'event-log', testEnvironmentOptions: { ownProcess: 'stop.int-spec' } };
