/**
 * The part of the Compose Specification in use here: names and values of fields. Docker would refuse others, but there is
 * no Docker in CI.
 */
import { z } from 'zod';

const text = z.string().min(1);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
/** Such as 5s, 1m30s. */
const duration = z.string().regex(/^(\d+h)?(\d+m)?(\d+s)?$/);
const size = z.string().regex(/^\d+[bkmg]$/);

const healthcheck = z.union([
  z.strictObject({ disable: z.literal(true) }),
  z.strictObject({
    test: z.tuple([z.enum(['CMD', 'CMD-SHELL'])]).rest(text),
    interval: duration,
    timeout: duration,
    retries: z.int().min(1),
    start_period: duration.optional(),
  }),
]);

const service = z.strictObject({
  image: text,
  build: z.strictObject({ context: text, target: text }).optional(),
  command: z.union([text, z.array(z.string())]).optional(),
  environment: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), scalar).optional(),
  ports: z.array(z.string().regex(/^[\d.]+:\$\{[A-Z]+_PORT:-\d+\}:\d+(\/(tcp|udp))?$/)).optional(),
  volumes: z.array(z.string().regex(/^[^:]+:\/[^:]*(:(ro|rw))?$/)).optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']),
      }),
    )
    .optional(),
  healthcheck: healthcheck.optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(text).optional(),
  security_opt: z.array(text).optional(),
  stop_grace_period: duration.optional(),
  stop_signal: z
    .string()
    .regex(/^SIG[A-Z]+$/)
    .optional(),
  mem_limit: size.optional(),
  tmpfs: z.array(text).optional(),
});

const compose = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  services: z.record(text, service),
  volumes: z.record(text, z.null()),
});

export type Service = z.infer<typeof service>;
export type Compose = z.infer<typeof compose>;

/** @param file whose `x-…` fields are left out */
export const composeSchemaProblems = (file: unknown): string[] => {
  const ours = Object.fromEntries(Object.entries(file ?? {}).filter(([field]) => !field.startsWith('x-')));
  const { error } = compose.safeParse(ours);
  return (error?.issues ?? []).map(({ path, message }) => `docker-compose.yml: /${path.join('/')} ${message}`);
};
