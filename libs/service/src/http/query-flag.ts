import { ValidationFailed } from '../errors/service-error.js';

/** A boolean query parameter, in any case; false if absent. Throws ValidationFailed for anything else. */
export const queryFlag = (name: string, value: unknown): boolean => {
  if (value === undefined) return false;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ValidationFailed([{ name, message: 'Must be true or false' }]);
};
