/** What a channel's configuration changes in the bytes of an event (spec §2.10, §4.5). Each has its bit in the code. */
const names = [
  'include_uid',
  'include_timestamp',
  'include_original_ep',
  'deregistrations_as_object',
  'use_endpoint_name',
] as const;

export type RenderOptions = Record<(typeof names)[number], boolean>;

/** The options as one number: it is stored with the channel and compared when events are appended. */
export type RenderCode = number;

export const renderCode = (options: RenderOptions): RenderCode =>
  names.reduce((code, name, bit) => (options[name] ? code | (1 << bit) : code), 0);

/** The options of every code: built once, because every event needs them. */
const ofCode = Array.from(
  { length: 1 << names.length },
  (_, code) => Object.fromEntries(names.map((name, bit) => [name, (code & (1 << bit)) !== 0])) as RenderOptions,
);

export const renderOptions = (code: RenderCode): RenderOptions => {
  const options = ofCode[code];
  if (!options) throw new RangeError(`no render options have the code ${code}`);
  return options;
};
