import { type FramedItem, InvalidMessage, sliceAhead, sliceItem } from '@lanyard/contracts';
import { type Batch, PoisonMessage } from '@lanyard/kafka';
import { render } from '../messages/render.js';
import type { ArrivalTimes } from './arrival-times.js';
import type { RenderCode } from '../messages/render-options.js';

/** An item on its way into queues. Rendered once for all channels that want the same form. */
export class IntakeEvent {
  private forms: Map<RenderCode, Buffer> | undefined;
  private lastCode: RenderCode | undefined;
  private lastForm: Buffer | undefined;

  constructor(
    readonly offset: bigint,
    /** When the message was queued, by its producer's clock: the `timestamp` of an item without the device's own time. */
    readonly timestampMs: number,
    readonly item: FramedItem,
    /** When its age begins. The message can have arrived then, whatever its producer's clock says. */
    readonly queuedAtMs = timestampMs,
    /** The message, whose key is the device. */
    private readonly source?: { readonly key: string },
  ) {}

  get deviceId(): string {
    return this.source?.key ?? '';
  }

  rendered(code: RenderCode): Buffer {
    // Nearly always there is one form.
    if (this.lastForm && this.lastCode === code) return this.lastForm;
    const form = this.forms?.get(code) ?? render(this.item, this.timestampMs, code);
    if (this.lastForm) (this.forms ??= new Map([[this.lastCode as RenderCode, this.lastForm]])).set(code, form);
    this.lastCode = code;
    this.lastForm = form;
    return form;
  }
}

/** One batch of one partition, waiting to be appended as a whole. */
export interface IntakeBatch {
  topic: string;
  partition: number;
  /** Offset of the last message that the batch covers, with or without an item. */
  lastOffset: bigint;
  events: IntakeEvent[];
}

/** Cuts the items out of the messages. Throws PoisonMessage for a message with broken framing, before anything is appended. */
export const intakeBatch = (
  { topic, partition, messages, nextOffset }: Batch<unknown>,
  arrivalTimes: Pick<ArrivalTimes, 'earliestMs' | 'latestMs'>,
): IntakeBatch => {
  const events: IntakeEvent[] = [];
  const latestMs = arrivalTimes.latestMs();
  for (const message of messages) {
    try {
      const item = sliceItem(topic, message.raw, message.headers);
      if (!item) continue;
      const { offset, timestampMs } = message;
      const queuedAtMs = Math.min(latestMs, Math.max(timestampMs, arrivalTimes.earliestMs(topic, partition, offset)));
      const ahead = sliceAhead(topic, item, message.headers);
      if (ahead) events.push(new IntakeEvent(offset, timestampMs, ahead, queuedAtMs, message));
      events.push(new IntakeEvent(offset, timestampMs, item, queuedAtMs, message));
    } catch (error) {
      if (error instanceof InvalidMessage) throw new PoisonMessage(message.offset, error.message);
      throw error;
    }
  }
  return { topic, partition, lastOffset: nextOffset - 1n, events };
};
