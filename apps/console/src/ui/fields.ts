import { type ChangeEvent, useState } from 'react';

/** The values of a form by their names, and the properties of the inputs that show and change them. */
export const useFields = <Values extends object>(initial: Values) => {
  const [values, setValues] = useState(initial);
  const set = <N extends keyof Values>(name: N, value: Values[N]): void =>
    setValues((before) => ({ ...before, [name]: value }));
  return {
    values,
    set,
    /** Of an input of text. */
    text: <N extends keyof Values>(name: N) => ({
      value: values[name] as string,
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => set(name, currentTarget.value as Values[N]),
    }),
    /** Of what is chosen: one, several, a file. */
    choice: <N extends keyof Values>(name: N) => ({
      value: values[name],
      onChange: (value: Values[N]) => set(name, value),
    }),
  };
};
