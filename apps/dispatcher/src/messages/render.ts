import type { Category, FramedItem } from '@lanyard/contracts';
import { type RenderCode, renderOptions, type RenderOptions } from './render-options.js';

/** Items about devices start with `{"ep":"` and 32 characters of device id. */
const epStart = '{"ep":';
const epEnd = epStart.length + 34;
const closingBrace = Buffer.from('}');

const ended: readonly Category[] = ['de-registrations', 'registrations-expired'];

/** Items of these categories always contain the name, because clients read it there whatever the channel asks for. */
const named: readonly Category[] = ['registrations', 'reg-updates'];

const additions = (item: FramedItem, timestampMs: number, options: RenderOptions): string => {
  let text = '';
  if (options.include_uid) text += `,"uid":${JSON.stringify(item.uid)}`;
  if (options.include_timestamp) text += `,"timestamp":${item.measuredAtMs ?? timestampMs}`;
  if ((options.include_original_ep || named.includes(item.category)) && item.endpointName)
    text += `,"original-ep":${JSON.stringify(item.endpointName)}`;
  return text;
};

/** The item up to its closing brace, with the name instead of the id when the channel asks for it; a result has neither. */
const opening = (item: FramedItem, options: RenderOptions): Buffer[] => {
  const open = item.item.subarray(0, -1);
  if (!options.use_endpoint_name || !item.endpointName || item.category === 'async-responses') return [open];
  return [Buffer.from(epStart + JSON.stringify(item.endpointName)), open.subarray(epEnd)];
};

/** Channels that did not ask for objects get the bare id (or name) of a device that left. */
const bareEp = (item: FramedItem, options: RenderOptions): Buffer =>
  options.use_endpoint_name && item.endpointName
    ? Buffer.from(JSON.stringify(item.endpointName))
    : item.item.subarray(epStart.length, epEnd);

/**
 * The final bytes of an event for channels with these options. Bytes are inserted at fixed positions, never parsed.
 * `timestampMs`: when the service queued the item; the same on every delivery. An item that has the device's own time
 * shows that time instead.
 */
export const render = (item: FramedItem, timestampMs: number, code: RenderCode): Buffer => {
  const options = renderOptions(code);
  if (ended.includes(item.category) && !options.deregistrations_as_object) return bareEp(item, options);
  const added = additions(item, timestampMs, options);
  if (!added && !options.use_endpoint_name) return item.item;
  return Buffer.concat([...opening(item, options), Buffer.from(added), closingBrace]);
};
