import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';

/** Filters of the device list as the URL of the page has them, by their names in the API. */
export type Filters = Readonly<Record<string, string>>;

/** The parameter of the URL that is not a filter. */
const order = 'order';

export interface DeviceSearch {
  filters: Filters;
  /** The filters as the API's parameter `filter` takes them; undefined: all devices. */
  packed: string | undefined;
  newestFirst: boolean;
  /** Sets filters and keeps the others; undefined or '' removes one. */
  set(changes: Record<string, string | undefined>): void;
  /** Replaces all filters by these. */
  replace(filters: Filters): void;
  /** How often all filters have been replaced: what was being typed before belongs to none of the new ones. */
  replacements: number;
  turn(newestFirst: boolean): void;
}

export const packed = (filters: Filters): string | undefined => {
  const pairs = Object.entries(filters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? undefined : pairs.join('&');
};

/** The filters of a saved query. */
export const unpacked = (query: string): Filters =>
  Object.fromEntries(new URLSearchParams(query.replaceAll('+', '%2B')));

/** `state = registered, groups = 0123` */
export const readable = (query: string): string =>
  Object.entries(unpacked(query))
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ');

const given = (search: Record<string, unknown>): Filters =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      name === order || value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  );

export const useDeviceSearch = (): DeviceSearch => {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const [replacements, setReplacements] = useState(0);
  const filters = given(search);
  const newestFirst = search[order] === 'newest';
  const go = (next: Record<string, string | undefined>): void =>
    void navigate({ to: '/devices', search: () => next, replace: true });
  const kept = newestFirst ? { [order]: 'newest' } : {};
  return {
    filters,
    packed: packed(filters),
    newestFirst,
    set: (changes) => go({ ...given({ ...filters, ...changes }), ...kept }),
    replace: (next) => {
      setReplacements((n) => n + 1);
      go({ ...next, ...kept });
    },
    replacements,
    turn: (newest) => go({ ...filters, ...(newest && { [order]: 'newest' }) }),
  };
};
