import { bootstrap, migrateCommand, runService } from '@lanyard/service';
import { definition } from './app.module.js';
import { app, readConfig } from './config.js';
import { databaseOf } from './db/database.js';

await runService(readConfig, (config) => bootstrap(definition, config), { migrate: migrateCommand(app, databaseOf) });
