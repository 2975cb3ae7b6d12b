/** What a channel's configuration changes in the bytes of an event (spec §2.10, §4.5). */
export interface RenderOptions {
  includeUid: boolean;
  includeTimestamp: boolean;
  includeOriginalEp: boolean;
  deregistrationsAsObject: boolean;
  useEndpointName: boolean;
}

/** The options as one number: it is stored with the channel and compared when events are appended. */
export type RenderCode = number;

const bits = [
  'includeUid',
  'includeTimestamp',
  'includeOriginalEp',
  'deregistrationsAsObject',
  'useEndpointName',
] as const satisfies readonly (keyof RenderOptions)[];

export const renderCode = (options: RenderOptions): RenderCode =>
  bits.reduce((code, name, bit) => (options[name] ? code | (1 << bit) : code), 0);

/** The options of every code: built once, because every event needs them. */
const ofCode = Array.from(
  { length: 1 << bits.length },
  (_, code) =>
    Object.fromEntries(bits.map((name, bit) => [name, (code & (1 << bit)) !== 0])) as unknown as RenderOptions,
);

export const renderOptions = (code: RenderCode): RenderOptions => {
  const options = ofCode[code];
  if (!options) throw new RangeError(`no render options have the code ${code}`);
  return options;
};
