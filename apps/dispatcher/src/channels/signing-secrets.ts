import type { Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { newSigningSecret, type SigningSecret } from '../callback-client/signature.js';
import { SigningSecretNotFound, SigningSecretsExceeded } from '../errors.js';
import { signingSecretsMax } from '../limits.js';
import { SharedClock } from '../queue/shared-clock.js';
import { changeOfSecrets } from '../store/audit-actions.js';
import { type Caller, Channels, type Owner } from './channels.js';

/** The signing secrets of callback channels. They are part of the sealed target, so every replica gets them with it. */
@Injectable()
export class SigningSecrets {
  constructor(
    private readonly channels: Channels,
    @Inject(SharedClock) private readonly clock: Clock,
  ) {}

  /** Oldest first. */
  async list(owner: Owner): Promise<readonly SigningSecret[]> {
    const { target } = await this.channels.get(owner, 'callback');
    return target?.signing?.secrets ?? [];
  }

  /** `owner`: whose channel it is, when that is not the caller's. Throws SigningSecretsExceeded. */
  async make(caller: Caller, owner: Owner = caller): Promise<SigningSecret> {
    const made = newSigningSecret(this.clock.now());
    const another = (secrets: readonly SigningSecret[]): readonly SigningSecret[] => {
      if (secrets.length >= signingSecretsMax) throw new SigningSecretsExceeded(signingSecretsMax);
      return [...secrets, made];
    };
    await this.channels.changeSecrets(owner, another, changeOfSecrets('SYS_583', caller, made.id, owner.keyId));
    return made;
  }

  /** Throws SigningSecretNotFound. */
  async remove(caller: Caller, id: string, owner: Owner = caller): Promise<void> {
    const without = (secrets: readonly SigningSecret[]): readonly SigningSecret[] => {
      const others = secrets.filter((secret) => secret.id !== id);
      if (others.length === secrets.length) throw new SigningSecretNotFound();
      return others;
    };
    await this.channels.changeSecrets(owner, without, changeOfSecrets('SYS_584', caller, id, owner.keyId));
  }
}
