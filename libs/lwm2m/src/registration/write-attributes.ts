/** Attributes that tune notifications (spec §2.9; LwM2M 1.1 core §5.1.2). */
export const writeAttributeNames = ['pmin', 'pmax', 'gt', 'lt', 'st', 'epmin', 'epmax'] as const;

const part = /^(pmin|pmax|gt|lt|st|epmin|epmax)(=[^&;]*)?$/;

/**
 * True when each part of a query is a write attribute; a name without a value clears it. The service neither stores
 * nor validates the values: they go to the device as they are (spec §2.9).
 */
export const areWriteAttributes = (query: readonly string[]): boolean =>
  query.length > 0 && query.every((p) => part.test(p));
