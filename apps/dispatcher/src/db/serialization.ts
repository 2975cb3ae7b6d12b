import { z } from 'zod';
import { renderCode, type RenderCode } from '../messages/render-options.js';
import { batchEventsDefault, batchEventsMax } from '../limits.js';

/** Clients send booleans and numbers, or strings that contain them. */
const flag = z
  .union([z.boolean(), z.literal('true').transform(() => true), z.literal('false').transform(() => false)], {
    error: 'must be true or false',
  })
  .default(false);

const chunkSize = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], { error: 'must be a whole number' })
  .pipe(
    z
      .int({ error: 'must be a whole number' })
      .min(1, `must be 1 to ${batchEventsMax}`)
      .max(batchEventsMax, `must be 1 to ${batchEventsMax}`),
  )
  .default(batchEventsDefault)
  .describe(
    `How many events a message may contain: 1 to ${batchEventsMax}, default ${batchEventsDefault}. Also as text`,
  );

/** The options of the channel, each of this type. */
const options = <T extends z.ZodType>(type: T) => ({
  include_uid: type,
  include_timestamp: type,
  include_original_ep: type,
  deregistrations_as_object: type,
  use_endpoint_name: type,
});

const CfgSchema = z.strictObject(options(flag));

/** Spec §4.5 and §2.10: how events look on the channel, and how many a message may hold. */
export const Serialization = z.strictObject({
  type: z.literal('v2', { error: 'must be v2' }).default('v2'),
  max_chunk_size: chunkSize,
  cfg: CfgSchema.default(() => CfgSchema.parse({})),
});

/** The stored and shown form: every field has a value. */
export type Serialization = z.output<typeof Serialization>;

/** The shown form: every field has a value of its own type. */
export const SerializationViewSchema = z
  .object({
    type: z.literal('v2'),
    max_chunk_size: z.number().int(),
    cfg: z.object(options(z.boolean())),
  })
  .meta({ id: 'ChannelSerialization' });

export const defaultSerialization = (): Serialization => Serialization.parse({});

export const renderCodeOf = ({ cfg }: Serialization): RenderCode => renderCode(cfg);
