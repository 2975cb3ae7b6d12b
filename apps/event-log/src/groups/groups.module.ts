import { Module } from '@nestjs/common';
import { MembershipStore } from './membership-store.js';
import { MembershipsConsumer } from './memberships.consumer.js';

@Module({ controllers: [MembershipsConsumer], providers: [MembershipStore] })
export class GroupsModule {}
