import type { VerifierInfo } from '@app/openid4vc';
import { OwnRegistrations } from '@app/registration';
import { Injectable } from '@nestjs/common';
import { isRegistration } from './presentation-body';
import type { PresentationInput } from './presentation-input';

/** What is attested of the verifier, and what the maker of the request has to know of its registration. */
interface Attested {
  readonly verifierInfo: readonly VerifierInfo[] | undefined;
  readonly warnings: readonly string[];
}

/** Adds the registration certificate of this service to what goes to wallets. */
@Injectable()
export class OwnRegistration {
  constructor(private readonly registrations: OwnRegistrations) {}

  /** In place of the one in the file for all requests; not beside one of the relying party. Throws `request-not-registered`. */
  of({ query, verifierInfo, bringsRegistration, intendedUseId }: PresentationInput): Attested {
    if (!query || bringsRegistration) return { verifierInfo, warnings: [] };
    const { entry, warnings } = this.registrations.forRequest(query, intendedUseId);
    if (!entry) return { verifierInfo, warnings };
    const others = verifierInfo?.filter((one) => !isRegistration(one)) ?? [];
    return { verifierInfo: [entry, ...others], warnings };
  }
}
