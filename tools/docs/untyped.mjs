/** @param {any} schema */
const saysNothing = (schema) =>
  Object.keys(schema).every((key) => ['description', 'title'].includes(key)) ||
  (schema.type === 'object' &&
    !schema.properties &&
    !schema.patternProperties &&
    typeof schema.additionalProperties !== 'object' &&
    !schema.allOf &&
    !schema.anyOf &&
    !schema.oneOf) ||
  (schema.type === 'array' && !schema.items);

/**
 * Schemas of a document that type nothing: empty ones, objects without properties, arrays without items.
 * @param {any} document
 * @returns {string[]} one line each
 */
export const untypedIn = (document) => {
  /** @type {string[]} */
  const found = [];
  /** @param {any} schema @param {string} at */
  const look = (schema, at) => {
    if (typeof schema !== 'object' || schema === null || schema.$ref) return;
    if (saysNothing(schema)) found.push(`${at} says nothing about its value`);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) look(inner, `${at}/${name}`);
    look(schema.items, at);
    // A map of anything says `additionalProperties: {}`.
    if (Object.keys(schema.additionalProperties ?? {}).length > 0) look(schema.additionalProperties, at);
    for (const inner of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? [])) look(inner, at);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(/** @type {Record<string, any>} */ (item))) {
      const at = `${method.toUpperCase()} ${path}`;
      for (const { name, schema } of operation.parameters ?? []) look(schema ?? {}, `${at} parameter ${name}`);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) look(schema ?? {}, `${at} body`);
      for (const [status, answer] of Object.entries(operation.responses))
        for (const { schema } of Object.values(answer.content ?? {})) look(schema ?? {}, `${at} ${status}`);
    }
  return found;
};
