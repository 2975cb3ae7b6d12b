import { type ListEnvelope, listSchema } from '@lanyard/service';
import { z } from 'zod';

/** Documentation of a list that always carries the total. */
export const listOf = <T>(item: z.ZodType<T>, id: string): z.ZodType<ListEnvelope<T>> => listSchema(item, id, true);

export const recordName = z.string().trim().min(1).max(100);

const groupId = z.string().regex(/^[0-9a-f]{32}$/, 'Must be 32 lower-case hex characters');

/** Groups of a key or an application. */
export const groupIds = z.array(groupId).max(100);

export const GroupIds = groupIds.min(1).meta({ id: 'KeyGroupIds' });
