import { describe, expect, it } from '@jest/globals';
import type { EchoResource } from './device-echo.js';
import { withReportedUnits } from './units.js';

const resource = (path: string, decoded?: string, unit?: string): EchoResource => ({
  resource_path: path,
  subscribed: false,
  ...(unit !== undefined && { unit }),
  ...(decoded !== undefined && {
    reported: { value: '', decoded, content_type: 'text/plain', reported_at: '', expires_at: '' },
  }),
});

const unitsOf = (...resources: EchoResource[]) => withReportedUnits(resources).map(({ unit }) => unit);

describe('units of resources', () => {
  it('are those that the same instance reports', () => {
    const units = [resource('/3303/0/5701', 'Cel'), resource('/3303/1/5701', 'K'), resource('/3303/2/5701', '')];
    const values = [resource('/3303/0/5700'), resource('/3303/1/5602'), resource('/3303/2/5700')];
    expect(unitsOf(...units, ...values).slice(3)).toEqual(['Cel', 'K', undefined]);
  });

  it('are not those of what is not measured, nor in place of the definition', () => {
    expect(unitsOf(resource('/3303/0/5701', 'Cel'), resource('/3303/0/5750'))).toEqual([undefined, undefined]);
    expect(unitsOf(resource('/9/0/5701', 'Cel'), resource('/9/0/5700', undefined, 'W'))).toEqual([undefined, 'W']);
  });
});
