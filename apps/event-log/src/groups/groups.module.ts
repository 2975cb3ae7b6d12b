import { Module } from '@nestjs/common';
import { MembershipRetention } from './membership-retention.js';
import { MembershipStore } from './membership-store.js';
import { MembershipsConsumer } from './memberships.consumer.js';

@Module({ controllers: [MembershipsConsumer], providers: [MembershipStore, MembershipRetention] })
export class GroupsModule {}
