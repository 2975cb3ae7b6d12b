import { coreObjects } from './core-objects.js';
import { gatewayObject } from './gateway.js';
import { ipsoObjects } from './ipso-objects.js';
import { ModelRegistry } from './model-registry.js';
import { softwareManagementObject } from './software-management.js';
import { updateClientObject } from './update-client.js';

/** A registry with the core objects 0 to 7, the common IPSO objects, and those of software management, gateways and the update client. */
export const standardModels = (): ModelRegistry =>
  new ModelRegistry([...coreObjects, softwareManagementObject, ...ipsoObjects, gatewayObject, updateClientObject]);
