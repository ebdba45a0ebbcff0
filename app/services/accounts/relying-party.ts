/** This service as browsers know it: the page's origin, and the name that passkeys belong to. */
export interface RelyingParty {
  readonly origin: string;
  readonly id: string;
}
