/**
 * The OpenAPI document passes the linter's recommended rules, types every answer, and describes every operation with an
 * example. Needs no network.
 */
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { undocumentedIn } from './docs/undocumented.ts';
import { untypedIn } from './docs/untyped.ts';
import { root } from './lanyard/project.ts';
import { conclude, textOf } from './lanyard/project-files.ts';

/** Rule -> operations that break it on purpose. */
const exceptions = {
  // A snapshot cannot be deleted; a WebSocket handshake ends with 101.
  'operation-2xx-response': [
    '/paths/~1v3~1devices~1{deviceId}~1echo/delete',
    '/paths/~1v2~1notification~1websocket-connect/get',
  ],
};

const path = join(root, 'docs/openapi.json');
const source = textOf('docs/openapi.json');
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'operation-tag-defined': 'error',
    'path-params-defined': 'error',
  },
});
const problems = await lintFromString({ source, absoluteRef: path, config });

const isExpected = ({ ruleId, location }: { ruleId: string; location: { pointer?: string }[] }) =>
  (exceptions[ruleId as keyof typeof exceptions] ?? []).some((at) => location[0]?.pointer?.includes(at));

const found = [
  ...problems
    .filter((problem) => !isExpected(problem))
    .map((p) => `${p.ruleId} ${p.location[0]?.pointer}: ${p.message}`),
  ...untypedIn(JSON.parse(source)),
  ...undocumentedIn(JSON.parse(source)),
];
conclude(found.map((line) => `docs/openapi.json: ${line}`));
