/** A second RedisLink, for appends: a large batch on its way out does not hold them up. */
export const INTAKE_LINK = Symbol('IntakeLink');

/** This process among all that ever ran: `<replica id>#<random>`. */
export const OWNER = Symbol('Owner');
