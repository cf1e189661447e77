import { type DcqlQuery, type Derivation, derivePresentationDefinition, type RequestVariant } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import type { RequestTerms } from '../request/request-terms';
import { RequestSecrets } from '../request/request-secrets';
import { verifiedAlgorithms } from './verified-algorithms';

type DefinedVariant = Extract<RequestVariant, 'draft-20' | 'draft-20-redirect'>;
type Definition = Extract<Derivation, { definition: unknown }>;

/** The presentation definitions by which the older variants ask; each is derived once for a request that is in memory. */
@Injectable()
export class PresentationDefinitions {
  private readonly derived = new WeakMap<DcqlQuery, Map<string, Derivation>>();

  constructor(private readonly secrets: RequestSecrets) {}

  /** Why the variant cannot ask the query of the request; `undefined` when it can. */
  whyUnavailable(request: Pick<RequestTerms, 'query' | 'handleSalt'>, variant: DefinedVariant): string | undefined {
    const derived = this.derive(request, variant);
    return 'unavailable' in derived ? derived.unavailable : undefined;
  }

  /** The definition of a variant that the request has; its id is the `state` of the variant. */
  of(request: Pick<RequestTerms, 'query' | 'handleSalt'>, variant: DefinedVariant): Definition {
    const derived = this.derive(request, variant);
    if ('unavailable' in derived) throw new Error(`a request of the unavailable variant ${variant}`);
    return derived;
  }

  private derive(request: Pick<RequestTerms, 'query' | 'handleSalt'>, variant: DefinedVariant): Derivation {
    const { query } = request;
    if (!query) throw new Error('a request without a query has no variant that asks for credentials');
    const known = this.derived.get(query) ?? new Map<string, Derivation>();
    this.derived.set(query, known);
    // The id of a definition follows from these, at the price of a MAC.
    const key = `${variant} ${request.handleSalt}`;
    const present = known.get(key);
    if (present) return present;
    const id = this.secrets.wireStateOf(request, variant);
    const derived = derivePresentationDefinition(query, id, { variant, algorithms: verifiedAlgorithms });
    known.set(key, derived);
    return derived;
  }
}
