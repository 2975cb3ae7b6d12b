import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

/** Names with their values, one below the other; those without a value are left out. */
export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <Table variant="vertical" layout="fixed">
    <Table.Tbody>
      {facts
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w="40%" scope="row">
              {name}
            </Table.Th>
            <Table.Td className="wrap">{value}</Table.Td>
          </Table.Tr>
        ))}
    </Table.Tbody>
  </Table>
);
