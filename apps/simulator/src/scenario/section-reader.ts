import { type SettingsReader } from '../settings/reader.js';
import { type Section } from './document.js';

/** Settings of a group: its own fields, and those that the scenario gives to all groups. */
export const sectionReader = (own: Section, defaults: Section | undefined): SettingsReader => {
  const sectionOf = (name: string): Section => {
    own.allow(name);
    defaults?.allow(name);
    return !own.has(name) && defaults?.has(name) ? defaults : own;
  };
  const read = (name: string): unknown => sectionOf(name).scalar(name);
  const text = (name: string): string | undefined => sectionOf(name).texts(name)?.join(',');
  return {
    whole: (name, fallback, { min = -Infinity, max = Infinity } = {}) => {
      const value = read(name);
      if (value === undefined) return fallback;
      const problem = (what: string) => sectionOf(name).problem(name, what);
      if (typeof value !== 'number' || !Number.isInteger(value))
        throw problem(`must be a whole number, not "${String(value)}"`);
      if (value < min || value > max) {
        const range = max === Infinity ? `at least ${min}` : `between ${min} and ${max}`;
        throw problem(`must be ${range}, not ${value}`);
      }
      return value;
    },
    text: (name, fallback) => text(name) ?? fallback,
    optional: text,
    flag: (name) => {
      const value = read(name) ?? false;
      if (typeof value !== 'boolean')
        throw sectionOf(name).problem(name, `must be true or false, not "${String(value)}"`);
      return value;
    },
    choice: (name, choices, fallback) => {
      const value = text(name) ?? fallback;
      const found = choices.find((choice) => choice === value);
      if (found === undefined)
        throw sectionOf(name).problem(name, `must be one of ${choices.join(', ')}, not "${value}"`);
      return found;
    },
    problem: (name, what) => sectionOf(name).problem(name, what),
  };
};
