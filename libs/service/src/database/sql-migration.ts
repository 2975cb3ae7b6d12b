import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration that only runs SQL; TypeORM orders migrations by the time in the names of their classes. */
export const sqlMigration = ({ up, down }: { up: string; down: string }): new () => MigrationInterface =>
  class implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      await runner.query(up);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(down);
    }
  };
