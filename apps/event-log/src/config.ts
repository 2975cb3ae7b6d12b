import { env, type ServiceConfig, serviceConfig } from '@lanyard/service';
import { retentionDaysDefault } from './limits.js';

export const app = 'event-log';

export interface EventLogConfig extends ServiceConfig {
  /** How long entries are kept; they are deleted at the end of their week. */
  retentionDays: number;
}

export const readConfig = (source?: NodeJS.ProcessEnv): EventLogConfig => {
  const reader = env(source);
  return {
    ...serviceConfig(reader, app),
    retentionDays: reader.int('EVENT_LOG_RETENTION_DAYS', retentionDaysDefault, { min: 7, max: 3_660 }),
  };
};
