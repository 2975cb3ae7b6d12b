/** The problem of a payload for the log, without what the device has sent: errors quote the beginning of what is wrong. */
export const withoutExcerpts = (problem: string): string => problem.replace(/".*"/s, '"…"');
