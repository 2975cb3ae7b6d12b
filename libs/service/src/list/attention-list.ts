import { AttentionItem } from '@lanyard/contracts';
import { listSchema } from './list-schema.js';

/** Documentation of a list `/v3/attention/<kind>`. */
export const AttentionList = listSchema(AttentionItem, 'AttentionList');
