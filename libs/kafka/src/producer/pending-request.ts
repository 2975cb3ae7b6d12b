import type { Message, TopicMessages } from 'kafkajs';

/** Bounds of one request to the brokers. */
const messagesMax = 1_000;
const bytesMax = 512 * 1024;

/** Messages for one request. Their senders share a promise: one for each would be too expensive. */
export class PendingRequest {
  private readonly byTopic = new Map<string, Message[]>();
  /** Messages so far. */
  count = 0;
  private bytes = 0;
  done!: () => void;
  failed!: (error: unknown) => void;
  /** Resolves when all in-sync replicas have all messages. Rejects when that is not known. */
  readonly stored = new Promise<void>((done, failed) => {
    this.done = done;
    this.failed = failed;
  });

  get topics(): string[] {
    return [...this.byTopic.keys()];
  }

  get isFull(): boolean {
    return this.count >= messagesMax || this.bytes >= bytesMax;
  }

  /** Whether one more message, with a value of this length, goes along. The first message of a request always does. */
  hasRoomFor(length: number): boolean {
    return !this.isFull && this.bytes + length <= bytesMax;
  }

  add(topic: string, message: Message): void {
    const list = this.byTopic.get(topic);
    if (list) list.push(message);
    else this.byTopic.set(topic, [message]);
    this.count++;
    this.bytes += message.value?.length ?? 0;
  }

  topicMessages(arranged: (topic: string, messages: readonly Message[]) => Message[]): TopicMessages[] {
    return [...this.byTopic].map(([topic, list]) => ({ topic, messages: arranged(topic, list) }));
  }
}
