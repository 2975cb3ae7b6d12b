export interface Source {
  address: string;
  requestId?: string;
}
