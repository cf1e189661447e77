import type { Sealer } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { type Credential, type CredentialEvent, isIssue } from '../credential/credential';

/**
 * How the keys of holders are named in events and states. The thumbprint of a key could be found by anyone who was shown the
 * credential; its pseudonym can be made with the data key of the credential alone, and tells nothing once that is destroyed.
 */
export class HolderPseudonyms {
  private constructor(
    private readonly byThumbprint: ReadonlyMap<string, string>,
    private readonly byPseudonym: ReadonlyMap<string, string>,
  ) {}

  /** Of these keys; `undefined` when the credential was erased. @param wrappedKey as stored */
  static of(
    thumbprints: readonly string[],
    { sealer, credentialId, wrappedKey }: { sealer: Sealer; credentialId: string; wrappedKey: Buffer },
  ): Awaitable<HolderPseudonyms | undefined> {
    const place = { streamId: `credential-${credentialId}`, event: 'CredentialIssued' };
    return whenThere(sealer.pseudonyms(thumbprints, wrappedKey, place), (made) => {
      if (!made) return undefined;
      const pairs = thumbprints.map((thumbprint, index): [string, string] => [thumbprint, made[index] ?? '']);
      return new HolderPseudonyms(
        new Map(pairs),
        new Map(pairs.map(([thumbprint, pseudonym]) => [pseudonym, thumbprint])),
      );
    });
  }

  /** With the thumbprints of these keys; those of others stay pseudonyms. */
  read<C extends Credential>(credential: C): C {
    if (!('holderKeys' in credential)) return credential;
    const { further } = credential;
    const named = further?.map((issue) => ({ ...issue, holderKeys: this.named(issue.holderKeys) }));
    return { ...credential, holderKeys: this.named(credential.holderKeys), ...(named && { further: named }) };
  }

  /** As it is stored. */
  write(events: readonly CredentialEvent[]): CredentialEvent[] {
    return events.map((event) =>
      isIssue(event)
        ? { ...event, holderKeys: event.holderKeys.map((thumbprint) => this.byThumbprint.get(thumbprint) ?? '') }
        : event,
    );
  }

  private named(holderKeys: readonly string[]): string[] {
    return holderKeys.map((name) => this.byPseudonym.get(name) ?? name);
  }
}
