import { env, type ServiceConfig, serviceConfig } from '@lanyard/service';

export const app = 'snapshot';

export const readConfig = (source?: NodeJS.ProcessEnv): ServiceConfig => serviceConfig(env(source), app);
