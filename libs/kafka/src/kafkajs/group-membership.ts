import type { Logger } from '@lanyard/service';
import type { Consumer } from 'kafkajs';
import type { ConsumerCluster } from './consumer-cluster.js';

interface Coordinator {
  leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>;
}

/**
 * Ends the membership of processes that are gone. kafkajs has no static membership, so a process that was killed
 * would keep its partitions until its session times out. But to leave a group takes only the member's id
 * (KIP-345 and before), so any process that knows of the exit can leave on its behalf. If it is wrong, nothing is lost:
 * the member finds out at its next heartbeat and joins again.
 */
export class GroupMembership {
  constructor(
    private readonly own: ConsumerCluster,
    private readonly groupId: string,
    private readonly logger: Logger,
  ) {}

  /** Lets every member of the client leave. The consumer is connected. Never rejects: their sessions end anyway. */
  async evict(consumer: Consumer, clientId: string): Promise<void> {
    try {
      const { members } = await consumer.describeGroup();
      for (const { memberId, clientId: itsClient } of members) {
        if (itsClient !== clientId) continue;
        await this.leave(memberId);
        this.logger.info({ group: this.groupId, memberId }, 'a stale member was removed from its group');
      }
    } catch (err) {
      this.logger.debug({ err, group: this.groupId, clientId }, 'former members not asked for');
    }
  }

  async leave(memberId: string): Promise<void> {
    const { groupId } = this;
    const coordinator = (await this.own.cluster?.findGroupCoordinator({ groupId })) as unknown as
      Coordinator | undefined;
    await coordinator?.leaveGroup({ groupId, memberId });
  }
}
