-- For psql 15 or later: sets the passwords of the users of deploy/postgresql/users.sql from the environment.
-- PostgreSQL logs a statement that fails; these contain passwords.
SET log_min_error_statement = 'panic';
\getenv gateway GATEWAY_DATABASE_PASSWORD
ALTER ROLE lanyard_gateway PASSWORD :'gateway';
\getenv registry REGISTRY_DATABASE_PASSWORD
ALTER ROLE lanyard_registry PASSWORD :'registry';
\getenv device_proxy DEVICE_PROXY_DATABASE_PASSWORD
ALTER ROLE lanyard_device_proxy PASSWORD :'device_proxy';
\getenv snapshot SNAPSHOT_DATABASE_PASSWORD
ALTER ROLE lanyard_snapshot PASSWORD :'snapshot';
\getenv event_log EVENT_LOG_DATABASE_PASSWORD
ALTER ROLE lanyard_event_log PASSWORD :'event_log';
\getenv dispatcher DISPATCHER_DATABASE_PASSWORD
ALTER ROLE lanyard_dispatcher PASSWORD :'dispatcher';
\getenv campaigns CAMPAIGNS_DATABASE_PASSWORD
ALTER ROLE lanyard_campaigns PASSWORD :'campaigns';
