/** A message of a channel: a JSON object of arrays, whose items have the id of their event. */

/** `mark`: the id of the event in its payload */
interface Item {
  uid: string;
  ep: string;
  mark: string | undefined;
}

interface Notification {
  items: Item[];
  problem?: string;
}

/** A payload that contains the id of its event, filled up to a size. */
export const payloadOf = (uid: string, bytes: number = 0) =>
  Buffer.from(`${uid}|`.padEnd(bytes, 'x')).toString('base64');

/** If a channel shows no uid, the mark identifies an event: values have it in their payload, registrations as endpoint type. */
const itemOf = ({ uid, ep, payload, ept }: { uid?: unknown; ep?: unknown; payload?: unknown; ept?: unknown }): Item => {
  const mark = typeof payload === 'string' ? Buffer.from(payload, 'base64').toString().split('|')[0] : ept;
  return { uid: String(uid ?? mark), ep: String(ep), mark: mark === undefined ? undefined : String(mark) };
};

/** Never throws: a torn text is a finding. */
export const readNotification = (text: string): Notification => {
  try {
    const message = JSON.parse(text);
    const lists = Object.values(message);
    if (!lists.every(Array.isArray)) return { items: [], problem: `not a notification: ${text.slice(0, 80)}` };
    const items = lists.flat().map(itemOf);
    const torn = items.find(({ uid, mark }) => mark !== undefined && mark !== uid);
    return { items, ...(torn && { problem: `item ${torn.uid} carries the payload of ${torn.mark}` }) };
  } catch {
    return { items: [], problem: `torn JSON: ${text.slice(0, 80)}` };
  }
};
