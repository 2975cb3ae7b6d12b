import { NotFound } from '@lanyard/service';

export class EventNotFound extends NotFound {
  constructor() {
    super('No such device event in this account.');
  }
}

export class PageNotFound extends NotFound {
  constructor() {
    super('Unable to find page: no event has the id given in after.');
  }
}
