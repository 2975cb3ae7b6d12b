const minuteMs = 60_000;

/** The form that an input of date and time needs, in the time zone of the browser; the API uses UTC. */
export const localTime = (time: string | null | undefined): string => {
  if (!time) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
};

/** Whether `utcTime` takes what such an input has: it lets people type years of up to six digits, which `Date` does not read. */
export const isLocalTime = (local: string): boolean => local === '' || /^\d{4}-/.test(local);

export const utcTime = (local: string): string | null => (local === '' ? null : new Date(local).toISOString());
