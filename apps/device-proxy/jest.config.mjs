import preset from '../../jest.preset.mjs';

/** What does not answer in time is left to the end of the process. */
export default { ...preset, displayName: 'device-proxy', testEnvironmentOptions: { ownProcess: 'stop.int-spec' } };
