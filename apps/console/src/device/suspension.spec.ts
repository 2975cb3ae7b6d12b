import { describe, expect, it } from '@jest/globals';
import { reasonsOf, suspensionVerb } from './suspension.ts';

const at = '2030-01-02T03:04:05.000000Z';

/** An operator has suspended the device at least once. */
const device = (operator: boolean, system: boolean) => ({
  operator_suspended: operator,
  last_operator_suspended_category: 'recalled',
  last_operator_suspended_description: 'batch 7',
  last_operator_suspended_updated_at: at,
  system_suspended: system,
  last_system_suspended_category: system ? 'other' : null,
  last_system_suspended_description: system ? 'The account is suspended' : null,
  last_system_suspended_updated_at: system ? at : null,
});

const byOperator = { by: 'operator', category: 'recalled', description: 'batch 7', since: at };
const bySystem = { by: 'system', category: 'other', description: 'The account is suspended', since: at };

describe('the suspension of a device', () => {
  it.each([
    ['no one', false, false, 'Suspend', []],
    ['an operator', true, false, 'Resume', [byOperator]],
    ['the system, which alone resumes it', false, true, 'Suspend', [bySystem]],
    ['both', true, true, 'Resume', [byOperator, bySystem]],
  ] as const)('by %s', (_, operator, system, verb, reasons) => {
    expect(suspensionVerb(device(operator, system))).toBe(verb);
    expect(reasonsOf(device(operator, system))).toEqual(reasons);
  });
});
