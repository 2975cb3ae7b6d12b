import { type ResourceType, type Scalar } from '@lanyard/lwm2m';

/** Whether a written value has the type of the resource. */
export const conforms = (value: Scalar, type: ResourceType): boolean => {
  switch (type) {
    case 'integer':
    case 'unsigned':
    case 'time':
      return typeof value === 'bigint' || (Number.isInteger(value) && (type === 'integer' || Number(value) >= 0));
    case 'float':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'boolean':
      return typeof value === 'boolean';
    case 'opaque':
      return Buffer.isBuffer(value);
    case 'objlnk':
      return typeof value === 'object' && !Buffer.isBuffer(value);
    case 'string':
    case 'corelnk':
      return typeof value === 'string';
    case 'none':
      return false;
  }
};
