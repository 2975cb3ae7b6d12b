import { Text, type TextProps } from '@mantine/core';

interface LeftOutProps extends Pick<TextProps, 'c'> {
  services: readonly { service: string; reason: string }[];
}

/** The services that an answer does without, and why. */
export const LeftOut = ({ services, ...text }: LeftOutProps) =>
  services.map(({ service, reason }) => (
    <Text key={service} size="sm" {...text}>
      Without {service}: {reason}
    </Text>
  ));
