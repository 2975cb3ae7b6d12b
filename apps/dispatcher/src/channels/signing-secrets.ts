import type { Clock } from '@lanyard/service';
import { newSigningSecret, type SigningSecret } from '../delivery/signature.js';
import { SigningSecretNotFound, SigningSecretsExceeded } from '../errors.js';
import type { Channels, Owner } from './channels.js';
import { signingSecretsMax } from './limits.js';

/** The signing secrets of callback channels. They are part of the sealed target, so every replica gets them with it. */
export class SigningSecrets {
  constructor(
    private readonly channels: Pick<Channels, 'get' | 'changeSecrets'>,
    private readonly clock: Clock,
  ) {}

  /** Oldest first. */
  async list(owner: Owner): Promise<readonly SigningSecret[]> {
    const { target } = await this.channels.get(owner, 'callback');
    return target?.signing?.secrets ?? [];
  }

  async make(owner: Owner): Promise<SigningSecret> {
    const made = newSigningSecret(this.clock.now());
    await this.channels.changeSecrets(owner, (secrets) => {
      if (secrets.length >= signingSecretsMax) throw new SigningSecretsExceeded(signingSecretsMax);
      return [...secrets, made];
    });
    return made;
  }

  async remove(owner: Owner, id: string): Promise<void> {
    await this.channels.changeSecrets(owner, (secrets) => {
      const others = secrets.filter((secret) => secret.id !== id);
      if (others.length === secrets.length) throw new SigningSecretNotFound();
      return others;
    });
  }
}
