import { type ChangeEvent, useState } from 'react';

type TextChange = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

/** The values of a form by name, and the properties of the inputs that show and change them. */
export const useFields = <Values extends object>(given: Values) => {
  // The record that they come from may be read again meanwhile.
  const [values, setValues] = useState(given);
  const set = <N extends keyof Values>(name: N, value: Values[N]): void =>
    setValues((before) => ({ ...before, [name]: value }));
  return {
    values,
    set,
    /** Properties of a text input. */
    text: <N extends keyof Values>(name: N) => ({
      value: values[name] as string,
      onChange: ({ currentTarget }: TextChange) => set(name, currentTarget.value as Values[N]),
    }),
    /** Properties of a number input. Its value is a text while it is empty or being typed: `wholeOf` reads it. */
    number: <N extends keyof Values>(name: N) => ({
      value: values[name] as number | string,
      hideControls: true,
      onChange: (value: number | string) => set(name, value as Values[N]),
    }),
    /** Properties of a switch. */
    toggle: <N extends keyof Values>(name: N) => ({
      checked: values[name] as boolean,
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => set(name, currentTarget.checked as Values[N]),
    }),
    /** Properties of an input with a choice: one item, several, or a file. */
    choice: <N extends keyof Values>(name: N) => ({
      value: values[name],
      onChange: (value: Values[N]) => set(name, value),
    }),
  };
};

/** The whole number from 1 on in a number input; undefined if it is empty or has another one. */
export const wholeOf = (typed: number | string): number | undefined => {
  const n = Number(typed);
  return Number.isInteger(n) && n >= 1 ? n : undefined;
};

/** Splits `192.0.2.0/24, 2001:db8::1` into its parts. */
export const partsOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');
