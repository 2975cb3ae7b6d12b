import { ActionIcon, AppShell, Box, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import logo from './logo.svg';
import { Icon } from '../ui/index.ts';
import { AccountMenu } from './account-menu.tsx';
import { ColorSchemeSwitch } from './color-scheme-switch.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { navigation } from './navigation.ts';

const isCurrent = (path: string, place: string): boolean =>
  path === '/' ? place === '/' : place === path || place.startsWith(`${path}/`);

const Navigation = () => {
  const place = useRouterState({ select: ({ location }) => location.pathname });
  return navigation.map(({ path, label, icon }) => (
    <NavLink
      key={path}
      component={Link}
      to={path}
      label={label}
      leftSection={<Icon name={icon} />}
      active={isCurrent(path, place)}
      aria-current={isCurrent(path, place) ? 'page' : undefined}
    />
  ));
};

/** The frame around every page. */
export const Frame = () => {
  const [isOpen, { toggle, close }] = useDisclosure();
  const place = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(close, [place, close]);
  // Moves the focus: a person who follows a link by keyboard or screen reader continues in the new page.
  const previous = useRef(place);
  useEffect(() => {
    if (previous.current !== place) document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
    previous.current = place;
  }, [place]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a href="#content" className="skip">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={isOpen}
            />
            <img src={logo} alt="" width="28" height="28" />
            <Text fw={650} size="lg">
              Lanyard
            </Text>
          </Group>
          <Group gap={4} wrap="nowrap">
            <ActionIcon component="a" href="/docs" variant="subtle" color="gray" size="lg" aria-label="API pages">
              <Text size="xs" fw={600}>
                API
              </Text>
            </ActionIcon>
            <ColorSchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Pages">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main bg="var(--canvas)" id="content" tabIndex={-1}>
        <ConnectionBanner />
        <Box maw="var(--content-max)" mx="auto">
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
};
