/** Local date and time to the second. */
export const timeOf = (time: string | null | undefined): string => {
  if (!time) return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
};
