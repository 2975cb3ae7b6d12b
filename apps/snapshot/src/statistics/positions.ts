/** Up to which message a partition of a topic has been counted. */
export interface Position {
  nextOffset: bigint;
  /** The latest timestamp of all counted messages. */
  newestMs: number;
}

type Message = { offset: bigint; timestampMs: number };

/**
 * Whether a message is counted already. A topic that was deleted and created begins at offset 0 again: its messages are
 * younger than all that were counted.
 */
export const isCounted = ({ offset, timestampMs }: Message, position: Position | undefined): boolean =>
  position !== undefined && offset < position.nextOffset && timestampMs <= position.newestMs;

/** The position once these messages are counted, too; `messages` has at least one. */
export const positionAfter = (messages: readonly Message[], before: Position | undefined): Position => ({
  nextOffset: (messages.at(-1) as Message).offset + 1n,
  newestMs: messages.reduce((newest, { timestampMs }) => Math.max(newest, timestampMs), before?.newestMs ?? 0),
});
