/**
 * What we use of CloudNativePG 1.25, the Gateway API 1.7 and the Prometheus operator, after their API references: no
 * package of this project has their schemas.
 */
import { z } from 'zod';

const resources = z.strictObject({
  requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
  limits: z.strictObject({ cpu: z.string().optional(), memory: z.string() }),
});

const metadata = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

const of = (apiVersion: string, kind: string, spec: z.ZodType): [string, z.ZodType] => [
  `${apiVersion} ${kind}`,
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), metadata, spec }),
];

const cluster = z
  .strictObject({
    instances: z.int().min(1),
    bootstrap: z.strictObject({ initdb: z.strictObject({ database: z.string(), owner: z.string() }) }),
    storage: z.strictObject({ size: z.string(), storageClass: z.string().optional() }),
    resources,
    postgresql: z.strictObject({
      synchronous: z.strictObject({ method: z.enum(['any', 'first']), number: z.int().min(1) }).optional(),
      pg_hba: z.array(z.string()),
      parameters: z.record(z.string(), z.string()),
    }),
    affinity: z.strictObject({ enablePodAntiAffinity: z.boolean(), topologyKey: z.string() }),
  })
  .refine((spec) => spec.instances > 1 === (spec.postgresql.synchronous !== undefined), {
    error: 'commits are confirmed by a standby, where there is one',
  });

const gatewayApi = 'gateway.networking.k8s.io/v1';
const port = z.int().min(1).max(65_535);
/** Of the Gateway API (GEP-2257): at most four units, each once. */
const duration = z.string().regex(/^(\d{1,5}(h|m|s|ms)){1,4}$/);
const parentRefs = z.array(
  z.strictObject({ name: z.string(), namespace: z.string().optional(), sectionName: z.string() }),
);
const backendRefs = z.array(z.strictObject({ name: z.string(), port })).min(1);
const hostname = z.string().regex(/^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
const allowedRoutes = z.strictObject({ namespaces: z.strictObject({ from: z.enum(['All', 'Same']) }) });

const listener = z.discriminatedUnion('protocol', [
  z.strictObject({
    name: z.string(),
    protocol: z.literal('HTTPS'),
    port,
    hostname,
    tls: z.strictObject({
      mode: z.literal('Terminate'),
      certificateRefs: z.array(z.strictObject({ kind: z.literal('Secret'), name: z.string() })).min(1),
    }),
    allowedRoutes,
  }),
  z.strictObject({
    name: z.string(),
    protocol: z.literal('TLS'),
    port,
    hostname,
    tls: z.strictObject({ mode: z.literal('Passthrough') }),
    allowedRoutes,
  }),
  z.strictObject({ name: z.string(), protocol: z.literal('UDP'), port, allowedRoutes }),
]);

const httpRule = z.strictObject({
  matches: z
    .array(
      z.strictObject({
        path: z.strictObject({ type: z.enum(['Exact', 'PathPrefix']), value: z.string().startsWith('/') }),
      }),
    )
    .min(1)
    .max(64),
  timeouts: z.strictObject({ request: duration }),
  backendRefs,
});

const monitoring = 'monitoring.coreos.com/v1';
const prometheusDuration = z.string().regex(/^(\d+(ms|[smhdwy]))+$/);

const podMonitor = z.strictObject({
  jobLabel: z.string().optional(),
  selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
  podMetricsEndpoints: z.array(
    z.strictObject({
      port: z.string(),
      path: z.string().startsWith('/'),
      interval: prometheusDuration,
      relabelings: z.array(
        z.strictObject({
          action: z.enum(['replace', 'keep', 'drop']).optional(),
          sourceLabels: z.array(z.string()).optional(),
          regex: z.string().optional(),
          targetLabel: z.string().optional(),
          replacement: z.string().optional(),
        }),
      ),
    }),
  ),
});

const rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: prometheusDuration.optional(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
});

export const ownSchemas: Record<string, z.ZodType> = Object.fromEntries([
  of('postgresql.cnpg.io/v1', 'Cluster', cluster),
  of(
    gatewayApi,
    'Gateway',
    z.strictObject({ gatewayClassName: z.string(), listeners: z.array(listener).min(1).max(64) }),
  ),
  of(
    gatewayApi,
    'HTTPRoute',
    z.strictObject({ parentRefs, hostnames: z.array(hostname), rules: z.array(httpRule).min(1).max(16) }),
  ),
  of(
    gatewayApi,
    'TLSRoute',
    z.strictObject({
      parentRefs,
      hostnames: z.array(hostname).min(1),
      rules: z.array(z.strictObject({ backendRefs })).length(1),
    }),
  ),
  of(gatewayApi, 'UDPRoute', z.strictObject({ parentRefs, rules: z.array(z.strictObject({ backendRefs })).length(1) })),
  of(monitoring, 'PodMonitor', podMonitor),
  of(
    monitoring,
    'PrometheusRule',
    z.strictObject({
      groups: z.array(
        z.strictObject({ name: z.string(), interval: prometheusDuration.optional(), rules: z.array(rule) }),
      ),
    }),
  ),
]);
