/** Where a request comes from. */
export interface Source {
  address: string;
  requestId?: string;
}
