import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the certificates of a trusted issuer have the endpoint name. */
export class EndpointNames1796529600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE trusted_certificates ADD COLUMN endpoint_name_from text NOT NULL DEFAULT 'common_name'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE trusted_certificates DROP COLUMN endpoint_name_from');
  }
}
