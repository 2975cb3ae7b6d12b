export * from './errors.js';
export { hasAtMostCharacters, notInNames, storable } from './text.js';
export * from './formats/composite.js';
export * from './formats/content-format.js';
export * from './formats/decode.js';
export * from './formats/encode.js';
export * from './formats/prefix.js';
export * from './formats/root.js';
export { decodeTlv, encodeTlv, type TlvEntry, type TlvKind } from './formats/tlv.js';
export {
  formatScalar,
  type ObjectLink,
  parseScalar,
  type ResourceType,
  type ResourceValue,
  type Scalar,
} from './values/value.js';
export * from './models/account-models.js';
export * from './models/ddf.js';
export * from './models/firmware-update.js';
export { softwareResults } from './models/software-management.js';
export * from './models/gateway.js';
export * from './models/model-registry.js';
export { objectVersions, type ObjectVersions } from './models/object-versions.js';
export * from './models/standard-models.js';
export * from './paths/bootstrap-links.js';
export * from './paths/link-format.js';
export * from './paths/observe-attributes.js';
export * from './paths/path.js';
export * from './registration/bootstrap-parameters.js';
export * from './registration/choose-format.js';
export * from './registration/registration-parameters.js';
