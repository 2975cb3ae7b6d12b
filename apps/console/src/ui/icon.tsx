/** Outlines in a 24 x 24 field. */
const outlines = {
  fleet: 'M4 20V11M10 20V4M16 20v-7M22 20H2',
  devices: 'M7 7h10v10H7zM10 7V3M14 7V3M10 21v-4M14 21v-4M7 10H3M7 14H3M21 10h-4M21 14h-4',
  device: 'M7 3h10v18H7zM11 17h2',
  channels: 'M4 12h4l3-7 4 14 2-7h3',
  campaigns: 'M12 16V4M7 9l5-5 5 5M4 20h16',
  keys: 'M8 16a4 4 0 1 1 3.5-6H21v4h-3v3h-4v-3h-2.5A4 4 0 0 1 8 16zM8 12h.01',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-4 4-6 8-6s7 2 8 6',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M4 4l2 2M18 18l2 2M2 12h2M20 12h2M4 20l2-2M18 6l2-2',
  moon: 'M20 14A8.5 8.5 0 1 1 10 4a7 7 0 0 0 10 10z',
  computer: 'M3 5h18v11H3zM8 20h8M12 16v4',
  more: 'M12 5h.01M12 12h.01M12 19h.01',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  upload: 'M12 16V5M7 9l5-5 5 5M4 20h16',
  check: 'm5 12 5 5L20 7',
  warning: 'M12 3 2 20h20L12 3zM12 10v4M12 17h.01',
  lost: 'M3 3l18 18M5 13a10 10 0 0 1 5-3M2 9a15 15 0 0 1 5-3M12 20h.01M8.5 16.5a5 5 0 0 1 6-1M22 9a15 15 0 0 0-9-4M19 13l-2-1',
  locked: 'M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3',
  columns: 'M4 4h16v16H4zM10 4v16M15 4v16',
  exit: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
} as const;

export type IconName = keyof typeof outlines;

/** Decoration: the text beside it says the same. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={outlines[name]} />
  </svg>
);
