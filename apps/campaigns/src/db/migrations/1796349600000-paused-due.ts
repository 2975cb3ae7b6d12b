import type { MigrationInterface, QueryRunner } from 'typeorm';

const replaceIndex = (name: string, states: string, old: string): string => `
  CREATE INDEX ${name} ON update_campaigns (tick_at) WHERE state IN (${states});
  DROP INDEX ${old}`;

/** Campaigns whose turn it is are found by an index: paused ones have a turn when they end. */
export class PausedDue1796349600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const states = `'scheduled', 'running', 'stopping', 'paused'`;
    await runner.query(replaceIndex('update_campaigns_turns', states, 'update_campaigns_due'));
  }

  async down(runner: QueryRunner): Promise<void> {
    const states = `'scheduled', 'running', 'stopping'`;
    await runner.query(replaceIndex('update_campaigns_due', states, 'update_campaigns_turns'));
  }
}
