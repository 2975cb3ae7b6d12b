/** A Jest environment that is not separate: tests run in the process of the worker. */
export default class Environment {
  readonly global = {};
  readonly exportConditions = (): string[] => [];
  readonly getVmContext = (): null => null;
  readonly setup = async (): Promise<void> => undefined;
  readonly teardown = async (): Promise<void> => undefined;
}
