const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** `5 s`, `3 min`, `2 h`, `4 d` */
export const ageOf = (time: string | null | undefined, nowMs: number): string => {
  if (!time) return '';
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1_000));
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? ['s', 1];
  return `${Math.floor(seconds / length)} ${unit}`;
};

/** Local date and time to the second. */
export const timeOf = (time: string | null | undefined): string => {
  if (!time) return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
};
