import preset from '../../jest.preset.mjs';

/** What replaces parts of kafkajs does so once in a process. */
export default { ...preset, displayName: 'kafka', testEnvironmentOptions: { ownProcess: 'kafkajs' } };
