import { migrateCommand, runInContext, runService } from '@lanyard/service';
import { definition } from './app.module.js';
import { app, readConfig } from './config.js';
import { databaseOf } from './db/database.js';
import { Reencryption, ReencryptionModule } from './reencryption.js';

await runService(definition, readConfig, {
  migrate: migrateCommand(app, databaseOf),
  reencrypt: () => runInContext(ReencryptionModule, readConfig(), (context) => context.get(Reencryption).run()),
});
