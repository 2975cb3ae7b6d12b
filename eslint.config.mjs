import nx from '@nx/eslint-plugin';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { layers as layersRule } from './tools/lint/layers.ts';

const platform = ['layer:contracts', 'layer:platform'];
const appLayers = [...platform, 'layer:protocol'];
const everyLib = [...appLayers, 'layer:testing'];

/** Which layer may import which (docs/adr/0003). Test files may also use the testing library. */
const layers = (testing) => [
  {
    sourceTag: 'layer:contracts',
    onlyDependOnLibsWithTags: testing ? ['layer:testing'] : [],
    allowedExternalImports: testing ? ['*'] : ['zod', 'node:*'],
  },
  {
    sourceTag: 'layer:protocol',
    onlyDependOnLibsWithTags: testing ? ['layer:protocol', 'layer:testing'] : ['layer:protocol'],
    allowedExternalImports: testing ? ['*'] : ['node:*'],
  },
  { sourceTag: 'layer:platform', onlyDependOnLibsWithTags: testing ? everyLib : platform },
  {
    // Applications install it: nothing of the server comes with it.
    sourceTag: 'layer:client',
    onlyDependOnLibsWithTags: testing ? ['layer:testing'] : [],
    allowedExternalImports: testing ? ['*'] : ['ws', 'node:*'],
  },
  // It runs in browsers, and knows the service by its API only.
  {
    sourceTag: 'layer:console',
    onlyDependOnLibsWithTags: ['layer:client'],
    bannedExternalImports: testing ? [] : ['node:*'],
  },
  { sourceTag: 'layer:cli', onlyDependOnLibsWithTags: testing ? [...everyLib, 'layer:client'] : ['layer:client'] },
  { sourceTag: 'layer:testing', onlyDependOnLibsWithTags: everyLib },
  {
    sourceTag: 'layer:app',
    onlyDependOnLibsWithTags: testing ? everyLib : appLayers,
    bannedExternalImports: ['kafkajs'],
  },
  {
    sourceTag: 'layer:e2e',
    onlyDependOnLibsWithTags: [...everyLib, 'layer:client'],
    bannedExternalImports: ['kafkajs'],
  },
];

const boundaries = (testing, allow = []) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    {
      enforceBuildableLibDependency: false,
      // What a program loads late, to have it built first, others may load at once.
      checkDynamicDependenciesExceptions: ['.*'],
      allow,
      depConstraints: layers(testing),
    },
  ],
});

export default tseslint.config(
  { ignores: ['**/dist/**', '**/bundle/**', '**/node_modules/**', '.nx/**', '.lanyard/**', '**/generated/**'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommended],
    plugins: { '@nx': nx },
    rules: {
      ...boundaries(false),
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { disallowTypeAnnotations: false, fixStyle: 'inline-type-imports' },
      ],
      'no-console': 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: [
      '**/config.ts',
      '**/env.ts',
      'libs/testing/**',
      '{bench,e2e,faults,tools}/**',
      '**/*.spec.ts',
      '**/*.int-spec.ts',
      'apps/*/test/**',
      'libs/*/test/**',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only config.ts reads the environment (docs/adr/0009).',
        },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    // Benchmarks compare with kafkajs, and rows of faults use its admin client.
    ignores: ['libs/kafka/**', '{bench,faults}/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'kafkajs', message: 'Only libs/kafka knows kafkajs (docs/adr/0004).' },
            { name: 'node:process', importNames: ['env'], message: 'Only config.ts reads the environment.' },
            { name: 'process', message: 'It is a global.' },
          ],
        },
      ],
    },
  },
  {
    files: ['{apps,libs}/*/src/**/*.{ts,tsx}'],
    ignores: ['**/*.spec.ts'],
    plugins: { lanyard: { rules: { layers: layersRule } } },
    rules: { 'lanyard/layers': 'error' },
  },
  { files: ['apps/console/src/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
  {
    files: ['apps/*/src/**/*.ts'],
    ignores: ['apps/console/**'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts', 'apps/*/test/**/*.ts', 'libs/*/test/**/*.ts'],
    rules: boundaries(true),
  },
  // They are no packages, and import each other's files.
  { files: ['{bench,faults,tools}/**/*.ts'], rules: boundaries(false, ['../**', 'kafkajs']) },
  { files: ['e2e/**/*.ts'], rules: boundaries(false, ['../tools/**', '../../tools/**']) },
  { files: ['{bench,tools}/**/*.ts'], rules: { 'no-console': 'off' } },
  // They walk through schemas and manifests as they come.
  { files: ['tools/{docs,manifests}/**/*.ts'], rules: { '@typescript-eslint/no-explicit-any': 'off' } },
);
