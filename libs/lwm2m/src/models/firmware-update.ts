/** Firmware Update, object 5: `/5/0/3` (LwM2M 1.1 core appendix E.6). */
export const firmwareStates = ['idle', 'downloading', 'downloaded', 'updating'] as const;

/** `/5/0/5`; 10 and 11 since version 1.1 of the object. */
export const firmwareResults = [
  'initial',
  'success',
  'not enough flash memory',
  'out of RAM',
  'connection lost',
  'integrity check failed',
  'unsupported package type',
  'invalid URI',
  'update failed',
  'unsupported protocol',
  'cancelled',
  'deferred',
] as const;
