import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface PageLinkProps extends AnchorProps {
  /** Path below `/console`. */
  to: string;
  search?: Record<string, string>;
  children: ReactNode;
}

/** A link to another page of the console. */
export const PageLink = ({ to, search = {}, children, ...props }: PageLinkProps) => (
  <Anchor
    size="sm"
    fw={500}
    {...props}
    renderRoot={(inner) => <Link {...inner} to={to as '/'} search={() => search} />}
  >
    {children}
  </Anchor>
);
