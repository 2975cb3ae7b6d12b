import { sqlMigration } from '@lanyard/service';

const replaceIndex = (name: string, states: string, old: string): string => `
  CREATE INDEX ${name} ON update_campaigns (tick_at) WHERE state IN (${states});
  DROP INDEX ${old}`;

/** Campaigns whose turn it is are found by an index: paused ones have a turn when they end. */
export class PausedDue1796349600000 extends sqlMigration({
  up: replaceIndex('update_campaigns_turns', `'scheduled', 'running', 'stopping', 'paused'`, 'update_campaigns_due'),
  down: replaceIndex('update_campaigns_due', `'scheduled', 'running', 'stopping'`, 'update_campaigns_turns'),
}) {}
