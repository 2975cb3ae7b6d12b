import type { UpdateCampaign } from '@lanyard/client/browser';

/** Actions, and the states from which each is possible. */
export const actions = [
  { label: 'Start a dry run', operation: 'POST /v3/update-campaigns/{id}/dry-run', from: ['draft'] },
  { label: 'Pause', operation: 'POST /v3/update-campaigns/{id}/pause', from: ['running', 'scheduled'] },
  { label: 'Resume', operation: 'POST /v3/update-campaigns/{id}/resume', from: ['paused'] },
] as const;

/**
 * Actions that ask first, because they cannot be undone. Updates that are in progress when a campaign stops continue, unless
 * it is aborted.
 */
export const confirmed = [
  { verb: 'Start', operation: 'POST /v3/update-campaigns/{id}/start', from: ['draft'] },
  {
    verb: 'Abort',
    operation: 'POST /v3/update-campaigns/{id}/abort',
    from: ['running', 'scheduled', 'paused', 'stopping'],
  },
] as const;

export const possibleIn = <Action extends { from: readonly string[] }>(
  { state }: Pick<UpdateCampaign, 'state'>,
  all: readonly Action[],
): Action[] => all.filter(({ from }) => from.includes(state));
