import { Malformed } from '../errors.js';
import { parseScalar, type ResourceType, type Scalar } from '../values/value.js';
import { parseJson } from './json.js';
import { recordsMax, type SenmlRecord, timeMsOf } from './senml.js';

const broken = (problem: string): Malformed => new Malformed('lwm2m-json', problem);

const valueOf = (entry: Record<string, unknown>): [Scalar, ResourceType] => {
  const given = ['v', 'sv', 'bv', 'ov'].filter((name) => entry[name] !== undefined);
  if (given.length !== 1) throw broken('an entry does not have exactly one value');
  const { v, sv, bv, ov } = entry;
  if (typeof v === 'bigint') return [v, 'integer'];
  if (typeof v === 'number' && Number.isFinite(v)) return [v, Number.isInteger(v) ? 'integer' : 'float'];
  if (typeof sv === 'string') return [sv, 'string'];
  if (typeof bv === 'boolean') return [bv, 'boolean'];
  if (typeof ov === 'string') return [parseScalar(ov, 'objlnk'), 'objlnk'];
  throw broken(`${given[0]} is of a wrong type`);
};

/** Zero or a negative number means seconds before now. Unlike in SenML, small positive times count from 1970. */
const absoluteMs = (seconds: number, nowMs: number): number =>
  timeMsOf(seconds <= 0 ? nowMs / 1000 + seconds : seconds, 'lwm2m-json');

/** The base name is optional: without it, a name is relative to the requested path unless it begins with a slash. */
const nameBelow = (basePath: string, name: string): string => {
  if (name.startsWith('/')) return name;
  return name === '' ? basePath : `${basePath}/${name}`;
};

/**
 * The JSON format of LwM2M 1.0 (content format 11543): `{"bn":"/3/0/","bt":…,"e":[{"n":"0","sv":…}]}`. `basePath`: the
 * path that was requested. Throws Malformed.
 */
export const decodeLwm2mJson = (bytes: Buffer, basePath: string, nowMs = Date.now()): SenmlRecord[] => {
  const document = parseJson(bytes, 'lwm2m-json') ?? {};
  const { bn = '', bt = 0, e } = document as { bn?: unknown; bt?: unknown; e?: unknown };
  if (typeof bn !== 'string' || typeof bt !== 'number' || !Array.isArray(e) || e.length > recordsMax)
    throw broken(`bn, bt or e is missing or wrong, or e has more than ${recordsMax} entries`);
  return e.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) throw broken('an entry is no object');
    const { n = '', t } = entry as { n?: unknown; t?: unknown };
    if (typeof n !== 'string' || (t !== undefined && typeof t !== 'number')) throw broken('n or t is wrong');
    const [value, type] = valueOf(entry as Record<string, unknown>);
    const name = bn === '' ? nameBelow(basePath, n) : bn + n;
    const timed = t !== undefined || bt !== 0;
    return { name, value, type, ...(timed && { timeMs: absoluteMs(bt + (t ?? 0), nowMs) }) };
  });
};
