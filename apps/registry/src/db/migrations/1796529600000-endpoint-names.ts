import { sqlMigration } from '@lanyard/service';

/** Where the certificates of a trusted issuer have the endpoint name. */
export class EndpointNames1796529600000 extends sqlMigration({
  up: `ALTER TABLE trusted_certificates ADD COLUMN endpoint_name_from text NOT NULL DEFAULT 'common_name'`,
  down: 'ALTER TABLE trusted_certificates DROP COLUMN endpoint_name_from',
}) {}
