/**
 * Operations without a description, or without an example of their required parameters, their body, or their successful
 * answer.
 */

const methods = ['get', 'put', 'post', 'delete', 'patch'];

/** Formats of a body that cannot be shown as text. */
const binary = ['application/vnd.oma.lwm2m+tlv'];

const withoutExample = (content: Record<string, { example?: unknown }> | undefined = {}) =>
  Object.entries(content)
    .filter(([type, { example }]) => example === undefined && !binary.includes(type))
    .map(([type]) => type);

/** For a body of bytes, the page offers a file chooser, and cannot prefill anything. */
const textsAsFiles = (content: Record<string, { schema?: any }> | undefined = {}) =>
  Object.entries(content)
    .filter(([type, { schema }]) => type.startsWith('text/') && schema?.format === 'binary')
    .map(([type]) => type);

export const undocumentedIn = ({ paths }: any): string[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = (item as any)[method];
      if (!operation) return [];
      const { description, parameters = [], requestBody, responses } = operation;
      const missing = [
        ...(description ? [] : ['description']),
        ...parameters
          .filter((parameter: any) => parameter.required && parameter.example === undefined)
          .map(({ name }: any) => `example of the parameter ${name}`),
        ...withoutExample(requestBody?.content).map((type) => `example of the body (${type})`),
        ...textsAsFiles(requestBody?.content).map((type) => `body (${type}) that can be typed in`),
        ...Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([status, answer]) =>
            withoutExample((answer as any).content).map((type) => `example of the answer ${status} (${type})`),
          ),
      ];
      return missing.map((what) => `${method.toUpperCase()} ${path} has no ${what}`);
    }),
  );
