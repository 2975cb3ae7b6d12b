import { migrateCommand, runService } from '@lanyard/service';
import { app, readConfig } from './config.js';
import { databaseOf } from './database.js';
import { start } from './start.js';

await runService(readConfig, start, { migrate: migrateCommand(app, databaseOf) });
