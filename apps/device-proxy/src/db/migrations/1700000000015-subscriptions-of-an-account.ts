import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Administrators list the keys of their account that have subscriptions. */
export class SubscriptionsOfAnAccount1700000000015 implements MigrationInterface {
  readonly name = 'SubscriptionsOfAnAccount1700000000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX subscription_account ON subscription (account_id, key_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX subscription_account');
  }
}
