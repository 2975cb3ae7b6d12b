import { isNetwork, type ListEnvelope, listSchema } from '@lanyard/service';
import { z } from 'zod';

/** Documentation of a list that always carries the total. */
export const listOf = <T>(item: z.ZodType<T>, id: string): z.ZodType<ListEnvelope<T>> => listSchema(item, id, true);

export const recordName = z.string().trim().min(1).max(100);

/** All groups of a key or an application are in one message of access.keys, whose size Kafka limits. */
export const groupsPerPrincipalMax = 100;

const deviceGroupsMax = 100;
const networksMax = 50;

const groupId = z.string().regex(/^[0-9a-f]{32}$/, 'Must be 32 lower-case hex characters');

export const groupIds = z.array(groupId).max(groupsPerPrincipalMax);

export const GroupIds = groupIds.min(1).meta({ id: 'KeyGroupIds' });

/** Device groups that a key or a key group is limited to. */
export const deviceGroups = z.array(groupId).min(1).max(deviceGroupsMax).nullable();

export const sourceAddresses = z
  .array(z.string().refine(isNetwork, 'Must be an address or a network such as 192.0.2.0/24 or 2001:db8::/32'))
  .min(1)
  .max(networksMax)
  .nullable();
