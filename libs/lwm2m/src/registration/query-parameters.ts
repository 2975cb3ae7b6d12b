import { WrongParameter } from '../errors.js';
import { notInNames } from '../text.js';

const textMax = 255;

/** Uri-Query options by name. Throws WrongParameter for a repeated parameter, and for one of `valued` without a value. */
export const queryParameters = (
  query: readonly string[],
  valued: ReadonlySet<string>,
): Map<string, string | undefined> => {
  const parameters = new Map<string, string | undefined>();
  for (const part of query) {
    const mark = part.indexOf('=');
    const name = mark < 0 ? part : part.slice(0, mark);
    if (name === '') throw new WrongParameter('query', 'a parameter has no name');
    if (parameters.has(name)) throw new WrongParameter(name.slice(0, 20), 'is given twice');
    if (mark < 0 && valued.has(name)) throw new WrongParameter(name, 'has no value');
    parameters.set(name, mark < 0 ? undefined : part.slice(mark + 1));
  }
  return parameters;
};

export const boundedText = (parameters: Map<string, string | undefined>, name: string): string | undefined => {
  const value = parameters.get(name);
  if (value === undefined) return undefined;
  if (value === '' || Buffer.byteLength(value) > textMax || notInNames.test(value))
    throw new WrongParameter(name, `must be 1 to ${textMax} bytes without control characters`);
  return value;
};
