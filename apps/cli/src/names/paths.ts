import { UsageError } from '../errors.js';

const pattern = /^\/?(\d{1,5})(\/\d{1,5}){0,3}$/;

/** Returns `/3303/0/5700` for `3303/0/5700` too. */
export const resourcePath = (text: string, partsMin = 1): string => {
  const path = text.startsWith('/') ? text : `/${text}`;
  const parts = path.split('/').length - 1;
  if (!pattern.test(path) || parts < partsMin)
    throw new UsageError(
      `"${text}" is not the path of ${partsMin >= 3 ? 'a resource' : 'an object, an instance or a resource'}.`,
      'A path is object/instance/resource, for example /3303/0/5700; "lanyard resources DEVICE" lists them.',
    );
  return path;
};
