/** TypeScript for an OpenAPI document: an interface for each schema, and `Operations` with their inputs and answers. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../lanyard/project.ts';

/** Names that mean something else in TypeScript. */
const renamed = { Error: 'ErrorBody' };

const nameOf = (ref: string) => {
  const name = (ref.split('/').at(-1) as string).replace(/\W/g, '_');
  return renamed[name as keyof typeof renamed] ?? name;
};

const key = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);

const comment = ({ description }: any) => (description ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '');

/** `^custom_attributes__.+$` -> `custom_attributes__${string}`. */
const templateOf = (pattern: string) => `\`${pattern.replace(/^\^/, '').replace(/\.\+\$$/, '')}\${string}\``;

const membersOf = ({ properties = {}, patternProperties = {}, required = [] }: any): string =>
  [
    ...Object.entries(properties).map(
      ([name, inner]) => `${comment(inner)}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(inner)};`,
    ),
    ...Object.entries(patternProperties).map(
      ([pattern, inner]) => `[name: ${templateOf(pattern)}]: ${typeOf(inner)} | undefined;`,
    ),
  ].join('\n');

const objectOf = (schema: any): string => {
  const { properties, patternProperties, additionalProperties } = schema;
  const isMap = typeof additionalProperties === 'object';
  const map = isMap ? `Record<string, ${typeOf(additionalProperties)}>` : '';
  if (!properties && !patternProperties) return map || 'Record<string, unknown>';
  const object = `{\n${membersOf(schema)}\n}`;
  // Further keys of any kind next to known ones.
  return isMap ? `${object} & Record<string, unknown>` : object;
};

const typeOf = (schema: any): string => {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.not && Object.keys(schema.not).length === 0) return 'never';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value: unknown) => JSON.stringify(value)).join(' | ');
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

const declarationOf = ([name, schema]: [string, any]) => {
  const plain = schema.type === 'object' && schema.properties && typeof schema.additionalProperties !== 'object';
  const head = `${comment(schema)}export `;
  return plain
    ? `${head}interface ${nameOf(name)} {\n${membersOf(schema)}\n}`
    : `${head}type ${nameOf(name)} = ${typeOf(schema)};`;
};

const parametersIn = (parameters: any[], place: string) => {
  const given = parameters.filter((parameter) => parameter.in === place);
  if (given.length === 0) return '';
  const required = given.some((parameter) => parameter.required);
  const exploded = given.filter(({ name }) => name === 'filters').map(({ schema }) => typeOf(schema));
  const others = given
    .filter(({ name }) => name !== 'filters')
    .map((p) => `${comment(p)}${key(p.name)}${p.required ? '' : '?'}: ${typeOf(p.schema)};`);
  return `${place}${required ? '' : '?'}: ${[...exploded, `{\n${others.join('\n')}\n}`].join(' & ')};`;
};

const bodyOf = (body: any) => {
  if (!body) return '';
  const [type, { schema }] = Object.entries<any>(body.content)[0] ?? ['', {}];
  const text = type.includes('json') ? typeOf(schema) : 'string | Uint8Array';
  return `body${body.required ? '' : '?'}: ${text};`;
};

const answerOf = (responses: Record<string, any>) => {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => {
      const [type, { schema }] = Object.entries<any>(content ?? {})[0] ?? ['', { schema: undefined }];
      return schema ? (type.includes('json') ? typeOf(schema) : 'string') : 'undefined';
    });
  return [...new Set(types)].join(' | ') || 'never';
};

const clientTypes = (document: any) => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, any>)
      // A WebSocket is opened by the channel; a stream has no end, and therefore no answer.
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
  return `// Generated from docs/openapi.json by tools/generate-client.ts: do not change by hand.

${Object.entries(document.components.schemas).map(declarationOf).join('\n\n')}

/** Every operation by method and path: what it takes, and what it answers when it succeeds. */
export interface Operations {
${operations.join('\n')}
}
`;
};

/** Writes the types of libs/client, from docs/openapi.json. They are not committed: each build writes them. */
export const writeClientTypes = () => {
  const path = join(root, 'libs/client/src/generated/api.ts');
  mkdirSync(dirname(path), { recursive: true });
  const text = clientTypes(JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')));
  // Unchanged files are not written, because their age tells whether the console has to be built again.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
};
