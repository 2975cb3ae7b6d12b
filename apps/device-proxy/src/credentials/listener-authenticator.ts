import type { Peer } from '@lanyard/coap';
import type { Connected } from '../transport/connection-authenticator.js';
import { type CredentialIndex, isWithdrawnBy } from './credential-index.js';
import { Multimap } from './multimap.js';

/** The authenticator of one listener. Open connections end with the credential that opened them. */
export abstract class ListenerAuthenticator {
  private readonly byCredential = new Multimap<Peer['key'], Connected>(({ peer }) => peer.key);
  private disconnect: (peer: Peer, why: string) => void = () => undefined;

  constructor(credentials: CredentialIndex) {
    credentials.onWithdrawn((withdrawal) => {
      for (const { peer, sender } of this.byCredential.get(withdrawal.credentialId))
        if (isWithdrawnBy(sender.credential, withdrawal)) this.disconnect(peer, 'Credential withdrawn');
    });
  }

  onDisconnect(disconnect: (peer: Peer, why: string) => void): void {
    this.disconnect = disconnect;
  }

  /** Stores the object that the listener also keeps, to save memory: there are many. */
  opened(connected: Connected): void {
    const { credential } = connected.sender;
    if (credential) this.byCredential.add(credential.id, connected);
  }

  closed({ peer, sender: { credential } }: Connected): void {
    if (credential) this.byCredential.delete(credential.id, peer.key);
  }
}
