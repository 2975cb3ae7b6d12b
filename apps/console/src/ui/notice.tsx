import { Alert, type AlertProps } from '@mantine/core';
import { Icon } from './icon.tsx';

const tones = {
  good: { color: 'teal', icon: 'check' },
  warning: { color: 'orange', icon: 'warning' },
  bad: { color: 'red', icon: 'warning' },
} as const;

/** Tells a person something that matters now; the tone sets its colour and icon. */
export const Notice = ({ tone, ...props }: AlertProps & { tone: keyof typeof tones }) => (
  <Alert color={tones[tone].color} variant="outline" icon={<Icon name={tones[tone].icon} />} {...props} />
);
