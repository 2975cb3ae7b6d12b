import { isPath } from '@lanyard/lwm2m';
import { z } from 'zod';

/** Limits for one key: the number of its rules, and of different paths in them. */
export const rulesMax = 1024;
export const rulePathsMax = 256;

const name = z.string().min(1).max(64);

/** `/3303/0/5700`, `/3303/0/*`, `/3303/*`, or `*`: the wildcard only at the end (spec §2.8). */
const pathPattern = z
  .string()
  .max(128)
  .regex(/^((\/\d{1,5}){1,4}(\/?\*)?|\/?\*)$/, 'Must be a path, with * only at its end')
  .refine((pattern) => pattern.endsWith('*') || isPath(pattern), 'Each part must be a number from 0 to 65534');

/** Spec §2.8. A rule without a path covers all observable resources. */
export const PresubscriptionRuleSchema = z
  .object({
    'endpoint-name': name.optional().describe('Device id or endpoint name; may end in *'),
    'endpoint-type': name.refine((type) => !type.includes('*'), 'Must not contain a wildcard').optional(),
    'resource-path': z.array(pathPattern).optional(),
  })
  .strict();

export type PresubscriptionRule = z.infer<typeof PresubscriptionRuleSchema>;

export const PresubscriptionRulesSchema = z
  .array(PresubscriptionRuleSchema)
  .max(rulesMax)
  .refine((rules) => new Set(rules.flatMap((rule) => rule['resource-path'] ?? [])).size <= rulePathsMax, {
    message: `At most ${rulePathsMax} different resource paths`,
  })
  .meta({ examples: [[{ 'endpoint-type': 'thermometer', 'resource-path': ['/3303/*'] }]] });
