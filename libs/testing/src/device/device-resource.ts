/** Content-Formats that the device client speaks. */
export const textPlain = 0;
export const linkFormat = 40;
export const senmlJson = 110;

export type ResourceValue = string | number | boolean | Buffer;

/** What a resource does when the server asks for it. A missing handler answers 4.05. */
export interface DeviceResource {
  /** Its present value; text and numbers travel as text/plain, bytes as opaque. */
  read?: () => ResourceValue;
  /** Throwing answers 4.00. */
  write?: (payload: Buffer, contentFormat: number | undefined) => void;
  execute?: (args: string) => void | Promise<void>;
  /** Default: what can be read can be observed. */
  observable?: boolean;
}

export interface EncodedValue {
  payload: Buffer;
  contentFormat: number;
}

export const encodeValue = (value: ResourceValue): EncodedValue =>
  Buffer.isBuffer(value)
    ? { payload: value, contentFormat: 42 }
    : { payload: Buffer.from(String(value)), contentFormat: textPlain };

const senmlRecord = (name: string, value: ResourceValue): object => {
  if (Buffer.isBuffer(value)) return { n: name, vd: value.toString('base64url') };
  if (typeof value === 'number') return { n: name, v: value };
  return typeof value === 'boolean' ? { n: name, vb: value } : { n: name, vs: value };
};

/** Several resources in one SenML JSON pack, each under its full path. */
export const encodePack = (values: readonly (readonly [path: string, value: ResourceValue])[]): EncodedValue => ({
  payload: Buffer.from(JSON.stringify(values.map(([path, value]) => senmlRecord(path, value)))),
  contentFormat: senmlJson,
});
