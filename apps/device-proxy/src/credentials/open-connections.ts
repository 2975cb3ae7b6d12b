import type { Peer } from '@lanyard/coap';
import type { ShownCredential } from '../transport/sender.js';
import { type CredentialIndex, isWithdrawnBy } from './credential-index.js';

/** The open connections of one listener, by the credential they were opened with. They end with it. */
export class OpenConnections {
  private readonly byCredential = new Map<string, Map<Peer['key'], { peer: Peer; shown: ShownCredential }>>();
  private readonly credentialOf = new Map<Peer['key'], string>();
  private disconnect: (peer: Peer, why: string) => void = () => undefined;

  constructor(credentials: CredentialIndex) {
    credentials.onWithdrawn((withdrawal) => {
      const withIt = [...(this.byCredential.get(withdrawal.credentialId)?.values() ?? [])];
      for (const { peer, shown } of withIt)
        if (isWithdrawnBy(shown, withdrawal)) this.disconnect(peer, 'Credential withdrawn');
    });
  }

  onDisconnect(out: (peer: Peer, why: string) => void): void {
    this.disconnect = out;
  }

  add(peer: Peer, shown: ShownCredential): void {
    const peers = this.byCredential.get(shown.id) ?? new Map<Peer['key'], { peer: Peer; shown: ShownCredential }>();
    this.byCredential.set(shown.id, peers.set(peer.key, { peer, shown }));
    this.credentialOf.set(peer.key, shown.id);
  }

  remove({ key }: Peer): void {
    const credentialId = this.credentialOf.get(key);
    if (credentialId === undefined) return;
    this.credentialOf.delete(key);
    const peers = this.byCredential.get(credentialId);
    peers?.delete(key);
    if (peers?.size === 0) this.byCredential.delete(credentialId);
  }
}
