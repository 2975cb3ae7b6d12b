import { type CommonConfig, commonConfig, env } from '@lanyard/service';

export const app = 'registry';

export const readConfig = (source?: NodeJS.ProcessEnv): CommonConfig => commonConfig(env(source), app);
