import type { Peer } from '@lanyard/coap';
import type { ShownCredential } from '../transport/sender.js';
import { type CredentialIndex, isWithdrawnBy } from './credential-index.js';
import { Multimap } from './multimap.js';

interface Open {
  peer: Peer;
  shown: ShownCredential;
}

/** The open connections of one listener, by the credential they were opened with. They end with it. */
export class OpenConnections {
  private readonly byCredential = new Multimap<Peer['key'], Open>(({ peer }) => peer.key);
  private readonly credentialOf = new Map<Peer['key'], string>();
  private disconnect: (peer: Peer, why: string) => void = () => undefined;

  constructor(credentials: CredentialIndex) {
    credentials.onWithdrawn((withdrawal) => {
      for (const { peer, shown } of this.byCredential.get(withdrawal.credentialId))
        if (isWithdrawnBy(shown, withdrawal)) this.disconnect(peer, 'Credential withdrawn');
    });
  }

  onDisconnect(out: (peer: Peer, why: string) => void): void {
    this.disconnect = out;
  }

  add(peer: Peer, shown: ShownCredential): void {
    this.byCredential.add(shown.id, { peer, shown });
    this.credentialOf.set(peer.key, shown.id);
  }

  remove({ key }: Peer): void {
    const credentialId = this.credentialOf.get(key);
    if (credentialId === undefined) return;
    this.credentialOf.delete(key);
    this.byCredential.delete(credentialId, key);
  }
}
