-- The database users of the seven services: each owns the schema of its service and has no rights in any other.
-- Run it in the database of the installation, as often as needed, as a superuser or, where a provider offers none, as the owner
-- of the database, who needs CREATEROLE. It also hands over what another user owns in these schemas, for example after
-- pg_restore --no-owner. It sets no passwords.
DO $$
DECLARE
  service record;
  statement text;
  may_hand_over boolean;
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  FOR service IN
    SELECT * FROM (VALUES
      ('lanyard_gateway', 'access'),
      ('lanyard_registry', 'registry'),
      ('lanyard_device_proxy', 'device_proxy'),
      ('lanyard_snapshot', 'snapshot'),
      ('lanyard_event_log', 'event_log'),
      ('lanyard_dispatcher', 'dispatcher'),
      ('lanyard_campaigns', 'campaigns')
    ) AS services (username, schema)
  LOOP
    IF to_regrole(service.username) IS NULL THEN
      EXECUTE format('CREATE ROLE %I LOGIN', service.username);
    END IF;
    -- Only a superuser makes any role an owner. The administrator of a managed PostgreSQL has to be a member of it meanwhile.
    may_hand_over := pg_has_role(
      service.username::name,
      CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END);
    IF NOT may_hand_over THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', service.username);
    END IF;
    -- CREATE SCHEMA IF NOT EXISTS, with which a service starts, needs CREATE even when the schema exists.
    EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO %I', current_database(), service.username);
    IF to_regnamespace(service.schema) IS NULL THEN
      EXECUTE format('CREATE SCHEMA %I', service.schema);
    END IF;
    EXECUTE format('ALTER SCHEMA %I OWNER TO %I', service.schema, service.username);
    FOR statement IN
      SELECT format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, service.username)
      FROM pg_class c
      WHERE c.relnamespace = to_regnamespace(service.schema) AND c.relowner <> to_regrole(service.username)
        -- A sequence that belongs to a column changes its owner with the table.
        AND (c.relkind IN ('r', 'p') OR (c.relkind = 'S' AND NOT EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i'))))
      UNION ALL
      SELECT format('ALTER ROUTINE %s OWNER TO %I', p.oid::regprocedure, service.username)
      FROM pg_proc p
      WHERE p.pronamespace = to_regnamespace(service.schema) AND p.proowner <> to_regrole(service.username)
    LOOP
      EXECUTE statement;
    END LOOP;
    IF NOT may_hand_over THEN
      EXECUTE format('REVOKE %I FROM CURRENT_USER', service.username);
    END IF;
  END LOOP;
END
$$;
