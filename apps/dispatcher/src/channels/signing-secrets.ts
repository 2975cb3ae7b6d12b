import type { Clock } from '@lanyard/service';
import { newSigningSecret, type SigningSecret } from '../callback-client/signature.js';
import { SigningSecretNotFound, SigningSecretsExceeded } from '../errors.js';
import type { Caller, Channels, Owner } from './channels.js';
import { changeOfSecrets } from './deeds.js';
import { signingSecretsMax } from '../limits.js';

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

  async make(caller: Caller): Promise<SigningSecret> {
    const made = newSigningSecret(this.clock.now());
    const another = (secrets: readonly SigningSecret[]): readonly SigningSecret[] => {
      if (secrets.length >= signingSecretsMax) throw new SigningSecretsExceeded(signingSecretsMax);
      return [...secrets, made];
    };
    await this.channels.changeSecrets(caller, another, changeOfSecrets('SYS_583', caller, made.id));
    return made;
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const without = (secrets: readonly SigningSecret[]): readonly SigningSecret[] => {
      const others = secrets.filter((secret) => secret.id !== id);
      if (others.length === secrets.length) throw new SigningSecretNotFound();
      return others;
    };
    await this.channels.changeSecrets(caller, without, changeOfSecrets('SYS_584', caller, id));
  }
}
