import { UnsupportedFormat } from '../errors.js';
import type { ModelRegistry } from '../models/model-registry.js';
import type { ResourceValue } from '../values/value.js';
import { encodeCborItem } from './cbor.js';
import { contentFormat } from './content-format.js';
import { lwm2mCborValues, recordValues } from './decode.js';
import { decodeLwm2mCbor } from './lwm2m-cbor.js';
import { decodeSenmlCbor, decodeSenmlJson, labelsOfNames, type SenmlRecord } from './senml.js';

const { senmlJson, senmlCbor, senmlEtchJson, senmlEtchCbor, lwm2mCbor } = contentFormat;

/** Formats of the list of paths in Read-Composite and Observe-Composite (LwM2M 1.2 core §6.3.8, RFC 8790 §3.1). */
export const readCompositeFormats: readonly number[] = [senmlJson, senmlCbor, senmlEtchJson, senmlEtchCbor];

/** Formats of the values in Write-Composite (LwM2M 1.2 core §6.3.9, RFC 8790 §3.2). */
export const writeCompositeFormats: readonly number[] = [...readCompositeFormats, lwm2mCbor];

/** The format in which values answer a list of paths: SenML-ETCH is a format of requests only. */
export const answerFormatOf = (format: number): number => {
  if (format === senmlEtchJson) return senmlJson;
  return format === senmlEtchCbor ? senmlCbor : format;
};

const recordsIn = (format: number, bytes: Buffer): SenmlRecord[] => {
  switch (format) {
    case senmlJson:
    case senmlEtchJson:
      return decodeSenmlJson(bytes, undefined, format === senmlEtchJson);
    case senmlCbor:
    case senmlEtchCbor:
      return decodeSenmlCbor(bytes, undefined, format === senmlEtchCbor);
    case lwm2mCbor:
      return decodeLwm2mCbor(bytes, true);
    default:
      throw new UnsupportedFormat(format);
  }
};

/**
 * The names in the payload of a composite operation, in the order of the payload: paths, unless the sender made a mistake.
 * Throws Malformed or UnsupportedFormat.
 */
export const namesIn = (format: number, bytes: Buffer): string[] => recordsIn(format, bytes).map(({ name }) => name);

/**
 * The values that a Write-Composite sets. Resource instances that it removes (value null) are left out. Throws Malformed
 * or UnsupportedFormat.
 */
export const decodeWriteComposite = (format: number, bytes: Buffer, models: ModelRegistry): ResourceValue[] =>
  (format === lwm2mCbor ? lwm2mCborValues : recordValues)(recordsIn(format, bytes), models);

/** A list of paths, for Read-Composite and Observe-Composite. Throws UnsupportedFormat. */
export const encodePaths = (format: number, paths: readonly string[]): Buffer => {
  if (!readCompositeFormats.includes(format)) throw new UnsupportedFormat(format);
  if (answerFormatOf(format) === senmlJson) return Buffer.from(JSON.stringify(paths.map((n) => ({ n }))));
  return encodeCborItem(paths.map((n) => new Map([[labelsOfNames.get('n')!, n]])));
};
