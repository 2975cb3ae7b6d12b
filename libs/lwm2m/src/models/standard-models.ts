import { coreObjects } from './core-objects.js';
import { ipsoObjects } from './ipso-objects.js';
import { ModelRegistry } from './model-registry.js';

/** A registry with the core objects 0 to 7 and the common IPSO objects. */
export const standardModels = (): ModelRegistry => new ModelRegistry([...coreObjects, ...ipsoObjects]);
