import { z } from 'zod';

/**
 * JSON schema (draft 7) of a topic's values, as one self-contained object.
 * @param {import('../../libs/contracts/dist/index.js').Topic<any>} topic
 */
export const payloadSchema = (topic) => {
  const document = /** @type {any} */ (z.toJSONSchema(topic.schema, { target: 'draft-7' }));
  const name = document.$ref?.replace('#/definitions/', '');
  const { $schema: _schema, $id: _id, id: _name, ...schema } = name ? document.definitions[name] : document;
  return schema;
};
