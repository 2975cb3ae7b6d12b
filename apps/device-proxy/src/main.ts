import { migrateCommand, runService } from '@lanyard/service';
import { definition } from './app.module.js';
import { app, readConfig } from './config.js';
import { databaseOf } from './database.js';

await runService(definition, readConfig, { migrate: migrateCommand(app, databaseOf) });
