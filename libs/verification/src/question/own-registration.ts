import type { VerifierInfo } from '@app/openid4vc';
import { OwnRegistrations } from '@app/registration';
import { Injectable } from '@nestjs/common';
import type { PrivateTerms } from '../request/request-terms';
import { isRegistration } from './presentation-body';
import type { PresentationInput } from './presentation-input';

type AttestedTerms = Pick<PrivateTerms, 'verifierInfo' | 'ownEntries'>;

/** What is attested of the verifier, and what the maker of the request has to know of its registration. */
interface Attested {
  readonly terms: AttestedTerms;
  readonly warnings: readonly string[];
}

/** Adds the registration certificate of this service to what goes to wallets. */
@Injectable()
export class OwnRegistration {
  constructor(private readonly registrations: OwnRegistrations) {}

  /** In place of the one in the file for all requests; not beside one of the relying party. Throws `request-not-registered`. */
  of({ query, verifierInfo, bringsRegistration, intendedUseId }: PresentationInput): Attested {
    const given: AttestedTerms = verifierInfo ? { verifierInfo } : {};
    if (!query || bringsRegistration) return { terms: given, warnings: [] };
    const { entries, warnings } = this.registrations.forRequest(query, intendedUseId);
    if (!entries) return { terms: given, warnings };
    const others = verifierInfo?.filter((one) => !isRegistration(one)) ?? [];
    return { terms: { verifierInfo: [...entries, ...others], ownEntries: entries.length }, warnings };
  }

  /** What a wallet gets now: a certificate that ended or was revoked since the request was made is left out. */
  sentWith({ verifierInfo = [], ownEntries = 0 }: AttestedTerms): { readonly verifierInfo?: readonly VerifierInfo[] } {
    const own = verifierInfo.slice(0, ownEntries);
    const sent = this.registrations.areSent(own) ? verifierInfo : verifierInfo.slice(ownEntries);
    return sent.length > 0 ? { verifierInfo: sent } : {};
  }
}
