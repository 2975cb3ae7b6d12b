import './status.css';

export type StatusColor = 'gray' | 'teal' | 'blue' | 'orange' | 'red';

/** A state in a word and a colour. */
export const Status = ({ color, children }: { color: StatusColor; children: string }) => (
  <span className={`status ${color}`}>{children}</span>
);

/** The state of something that can be switched off: ACTIVE, INACTIVE, EXPIRED. */
export const ActiveState = ({ status }: { status: string }) => (
  <Status color={status === 'ACTIVE' ? 'teal' : 'gray'}>{status.toLowerCase()}</Status>
);
