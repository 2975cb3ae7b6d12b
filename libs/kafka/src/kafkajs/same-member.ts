import { privateModule } from './modules.js';

/** What kafkajs knows of its membership. It makes a new one for each start of a consumer, on the same cluster. */
interface ConsumerGroup {
  readonly cluster: object;
  readonly generationId: number | null;
  memberId: string | null;
  joinAndSync(): Promise<void>;
  leave(): Promise<void>;
}

const memberIds = new WeakMap<object, string>();

/**
 * Correctness, not speed. A consumer that lost Kafka starts again with a new member id, and could not leave the group with its old one: the
 * group would wait for the old member until its session times out, 30 s in which nothing is consumed. It joins again as
 * the member that it was. If Kafka does not know that member any more, kafkajs joins as a new one.
 */
export const rejoinAsSameMember = (): void => {
  const { prototype } = privateModule('consumer/consumerGroup.js') as { prototype: ConsumerGroup };
  const { joinAndSync, leave } = prototype;
  prototype.joinAndSync = async function () {
    if (this.generationId === null) this.memberId ??= memberIds.get(this.cluster) ?? null;
    await joinAndSync.call(this);
    if (this.memberId !== null) memberIds.set(this.cluster, this.memberId);
  };
  prototype.leave = async function () {
    await leave.call(this);
    memberIds.delete(this.cluster);
  };
};
