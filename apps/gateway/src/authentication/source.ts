/** Where a request came from: the address of the client, and the id of the request. */
export interface Source {
  address: string;
  requestId?: string;
}
