import { expect, it } from '@jest/globals';
import { commonConfig } from '../config/common.js';
import { env } from '../config/env.js';
import { failureText } from './failure-text.js';

it('a refused setting is named without the password in it', () => {
  const reader = env({ OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://lanyard:hunter2@collector:4317' });
  let failure: unknown;
  try {
    commonConfig(reader, 'gateway');
  } catch (error) {
    failure = error;
  }
  expect(failureText(failure)).toBe(
    'Configuration: OTEL_EXPORTER_OTLP_ENDPOINT must be an http(s) URL, not "grpc://lanyard:…@collector:4317"',
  );
});
