import { ConfigError } from '@lanyard/service';

/** A field of a scenario is missing, unknown or wrong. The message begins with the place: `file.yaml:12: groups.meters.devices`. */
export class ScenarioError extends ConfigError {
  constructor(place: { file: string; line: number; field: string }, problem: string) {
    super(`${place.file}:${place.line}:${place.field === '' ? '' : ` ${place.field}`}`, problem);
  }
}
