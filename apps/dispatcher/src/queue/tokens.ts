/** A second RedisLink, for appends, so that a large batch on its way out does not delay them. */
export const INTAKE_LINK = Symbol('IntakeLink');

/** Identifies this process among all that ever ran: `<replica id>#<random>`. */
export const OWNER = Symbol('Owner');
