export interface Position {
  nextOffset: bigint;
  newestMs: number;
}

type Message = { offset: bigint; timestampMs: number };

/**
 * Whether a message is counted already. A topic that was deleted and created begins at offset 0 again: its messages are
 * younger than all that were counted.
 */
export const isCounted = ({ offset, timestampMs }: Message, position: Position | undefined): boolean =>
  position !== undefined && offset < position.nextOffset && timestampMs <= position.newestMs;

/** The position behind messages that were not counted; `messages` has at least one. */
export const positionBehind = (messages: readonly Message[], before: Position | undefined): Position => ({
  nextOffset: (messages.at(-1) as Message).offset + 1n,
  newestMs: messages.reduce((newest, { timestampMs }) => Math.max(newest, timestampMs), before?.newestMs ?? 0),
});
