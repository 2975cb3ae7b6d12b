import preset from '../jest.preset.mjs';

export default { ...preset, displayName: 'e2e', testTimeout: 180_000 };
