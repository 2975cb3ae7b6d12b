import { ConfigError } from '../config/env.js';
import { SchemaNotUpgradable } from '../database/open-database.js';
import { InfrastructureUnavailable } from '../lifecycle/infrastructure-unavailable.js';
import { StartTimedOut } from '../lifecycle/start-deadline.js';
import { withoutSecrets } from '../telemetry/logger.js';

/** What an operator can solve: reported without a stack. */
const operational = [InfrastructureUnavailable, StartTimedOut, SchemaNotUpgradable];

const textOf = (error: unknown): string => {
  if (error instanceof ConfigError) return `Configuration: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  return operational.some((kind) => error instanceof kind) ? error.message : (error.stack ?? error.message);
};

/** What standard error says of an error that ends the process: like a line of the log, without secrets. */
export const failureText = (error: unknown): string => withoutSecrets(textOf(error));
