const saysNothing = (schema: any) =>
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
 * Schemas of a document that do not define a type: empty ones, objects without properties, arrays without items.
 * @returns one line each
 */
export const untypedIn = (document: any): string[] => {
  const found: string[] = [];
  const visit = (schema: any, at: string) => {
    if (typeof schema !== 'object' || schema === null || schema.$ref) return;
    if (saysNothing(schema)) found.push(`${at} says nothing about its value`);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) visit(inner, `${at}/${name}`);
    visit(schema.items, at);
    // A map with values of any type has `additionalProperties: {}`.
    if (Object.keys(schema.additionalProperties ?? {}).length > 0) visit(schema.additionalProperties, at);
    for (const inner of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? [])) visit(inner, at);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, name);
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item as Record<string, any>)) {
      const at = `${method.toUpperCase()} ${path}`;
      for (const { name, schema } of operation.parameters ?? []) visit(schema ?? {}, `${at} parameter ${name}`);
      for (const { schema } of Object.values<any>(operation.requestBody?.content ?? {}))
        visit(schema ?? {}, `${at} body`);
      for (const [status, answer] of Object.entries<any>(operation.responses))
        for (const { schema } of Object.values<any>(answer.content ?? {})) visit(schema ?? {}, `${at} ${status}`);
    }
  return found;
};
