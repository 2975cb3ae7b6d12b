import { z } from 'zod';
import type { Topic } from '@lanyard/contracts';

/** JSON schema (draft 7) of a topic's values, as one self-contained object. */
export const payloadSchema = (topic: Topic<any>) => {
  const document = z.toJSONSchema(topic.schema, { target: 'draft-7' }) as any;
  const name = document.$ref?.replace('#/definitions/', '');
  const { $schema: _schema, $id: _id, id: _name, ...schema } = name ? document.definitions[name] : document;
  return schema;
};
