import { objectModel } from './model-registry.js';

/**
 * The manifest object of the update client, outside the OMA registry. Its result is the numeric part of the client's
 * event codes (spec §6.2): 18 for success, 21 to 49 for what went wrong.
 */
export const updateClientObject = objectModel(
  10_252,
  'Firmware Manifest',
  `1 Manifest opaque W
   2 State integer R
   3 Manifest Result integer R
   5 Asset Hash opaque R
   6 Asset Version integer R`,
);
