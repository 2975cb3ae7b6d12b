/** The parts of CloudNativePG 1.25 and of the Gateway API 1.6 UDPRoute that the manifests use: no package has their schemas. */
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

const backendRefs = z.array(z.strictObject({ name: z.string(), port: z.int().min(1).max(65_535) })).min(1);

export const ownSchemas: Record<string, z.ZodType> = Object.fromEntries([
  of('postgresql.cnpg.io/v1', 'Cluster', cluster),
  of(
    'gateway.networking.k8s.io/v1',
    'UDPRoute',
    z.strictObject({
      parentRefs: z.array(z.strictObject({ name: z.string(), sectionName: z.string() })),
      rules: z.array(z.strictObject({ backendRefs })).length(1),
    }),
  ),
]);
