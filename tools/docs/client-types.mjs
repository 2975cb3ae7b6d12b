/** TypeScript of an OpenAPI document: an interface for each schema, and `Operations` with what each takes and answers. */

/** Names that mean something else in TypeScript. */
const renamed = { Error: 'ErrorBody' };

/** @param {string} ref */
const nameOf = (ref) => {
  const name = /** @type {string} */ (ref.split('/').at(-1)).replace(/\W/g, '_');
  return renamed[/** @type {keyof typeof renamed} */ (name)] ?? name;
};

/** @param {string} name */
const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);

/** @param {any} schema */
const comment = ({ description }) => (description ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '');

/** `^custom_attributes__.+$` -> `custom_attributes__${string}`. @param {string} pattern */
const templateOf = (pattern) => `\`${pattern.replace(/^\^/, '').replace(/\.\+\$$/, '')}\${string}\``;

/** @param {any} schema @returns {string} */
const membersOf = ({ properties = {}, patternProperties = {}, required = [] }) =>
  [
    ...Object.entries(properties).map(
      ([name, inner]) => `${comment(inner)}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(inner)};`,
    ),
    ...Object.entries(patternProperties).map(
      ([pattern, inner]) => `[name: ${templateOf(pattern)}]: ${typeOf(inner)} | undefined;`,
    ),
  ].join('\n');

/** @param {any} schema @returns {string} */
const objectOf = (schema) => {
  const { properties, patternProperties, additionalProperties } = schema;
  const isMap = typeof additionalProperties === 'object';
  const map = isMap ? `Record<string, ${typeOf(additionalProperties)}>` : '';
  if (!properties && !patternProperties) return map || 'Record<string, unknown>';
  const object = `{\n${membersOf(schema)}\n}`;
  // Further keys of any kind next to known ones.
  return isMap ? `${object} & Record<string, unknown>` : object;
};

/** @param {any} schema @returns {string} */
const typeOf = (schema) => {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.not && Object.keys(schema.not).length === 0) return 'never';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((/** @type {unknown} */ value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(typeOf).join(' | ');
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => {
      if (type === 'integer') return 'number';
      if (type === 'array') return `(${typeOf(schema.items ?? {})})[]`;
      return type === 'object' ? objectOf(schema) : type;
    })
    .join(' | ');
};

/** @param {[string, any]} entry */
const declarationOf = ([name, schema]) => {
  const plain = schema.type === 'object' && schema.properties && typeof schema.additionalProperties !== 'object';
  const head = `${comment(schema)}export `;
  return plain
    ? `${head}interface ${nameOf(name)} {\n${membersOf(schema)}\n}`
    : `${head}type ${nameOf(name)} = ${typeOf(schema)};`;
};

/** @param {any[]} parameters @param {string} place */
const parametersIn = (parameters, place) => {
  const given = parameters.filter((parameter) => parameter.in === place);
  if (given.length === 0) return '';
  const required = given.some((parameter) => parameter.required);
  const exploded = given.filter(({ name }) => name === 'filters').map(({ schema }) => typeOf(schema));
  const others = given
    .filter(({ name }) => name !== 'filters')
    .map((p) => `${comment(p)}${key(p.name)}${p.required ? '' : '?'}: ${typeOf(p.schema)};`);
  return `${place}${required ? '' : '?'}: ${[...exploded, `{\n${others.join('\n')}\n}`].join(' & ')};`;
};

/** @param {any} body */
const bodyOf = (body) => {
  if (!body) return '';
  const [type, { schema }] = Object.entries(body.content)[0] ?? ['', {}];
  const text = type.includes('json') ? typeOf(schema) : 'string | Uint8Array';
  return `body${body.required ? '' : '?'}: ${text};`;
};

/** @param {Record<string, any>} responses */
const answerOf = (responses) => {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => {
      const [type, { schema }] = Object.entries(content ?? {})[0] ?? ['', { schema: undefined }];
      return schema ? (type.includes('json') ? typeOf(schema) : 'string') : 'undefined';
    });
  return [...new Set(types)].join(' | ') || 'never';
};

/** @param {any} document */
export const clientTypes = (document) => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(/** @type {Record<string, any>} */ (item))
      // A WebSocket is opened by the channel; a stream has no end, so no answer.
      .filter(([, { responses }]) => !responses['101'] && !responses['200']?.content?.['text/event-stream'])
      .map(([method, { summary, parameters = [], requestBody, responses, deprecated }]) =>
        [
          `/** ${summary}${deprecated ? '\n * @deprecated' : ''} */`,
          `'${method.toUpperCase()} ${path}': { input: {`,
          ...['path', 'query', 'header'].map((place) => parametersIn(parameters, place)),
          bodyOf(requestBody),
          `}; answer: ${answerOf(responses)} };`,
        ]
          .filter(Boolean)
          .join('\n'),
      ),
  );
  return `// Generated from docs/openapi.json by tools/generate-docs.mjs: do not change by hand.

${Object.entries(document.components.schemas).map(declarationOf).join('\n\n')}

/** Every operation by method and path: what it takes, and what it answers when it succeeds. */
export interface Operations {
${operations.join('\n')}
}
`;
};
