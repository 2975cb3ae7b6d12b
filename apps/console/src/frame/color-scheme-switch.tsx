import { ActionIcon, type MantineColorScheme, Tooltip, useMantineColorScheme } from '@mantine/core';
import { Icon, type IconName } from '../ui/index.ts';

const next: Record<MantineColorScheme, MantineColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' };
const icons: Record<MantineColorScheme, IconName> = { auto: 'computer', light: 'sun', dark: 'moon' };
const names: Record<MantineColorScheme, string> = { auto: 'as the system', light: 'light', dark: 'dark' };

export const ColorSchemeSwitch = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const label = `Colours: ${names[colorScheme]}. Change to ${names[next[colorScheme]]}.`;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(next[colorScheme])}
      >
        <Icon name={icons[colorScheme]} />
      </ActionIcon>
    </Tooltip>
  );
};
