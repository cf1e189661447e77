import { type CertifiedSigner, OwnCertificates } from '@app/identity';
import { Settings } from '@app/config';
import {
  type ClientIdPrefix,
  isByCertificate,
  isDigitalMode,
  isEncryptedMode,
  isFormatOfHaip,
  LINK_VARIANTS,
  type LinkVariant,
} from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import { Injectable } from '@nestjs/common';
import { PresentationDefinitions } from '../question/presentation-definitions';
import { hostOf } from './request-clients';
import { RequestSecrets } from '../request/request-secrets';
import type { RequestTerms, VariantTerms } from '../request/request-terms';

/** What decides which generations of wallets can be asked. */
type AskedTerms = Pick<
  RequestTerms,
  'query' | 'handleSalt' | 'responseType' | 'responseMode' | 'clientIdPrefix' | 'transactionData'
>;

type ChosenVariants = Pick<RequestTerms, 'variants' | 'unavailable' | 'certificate'>;

/** Chooses which generations of wallets a new request is for. */
@Injectable()
export class RequestVariants {
  constructor(
    private readonly definitions: PresentationDefinitions,
    private readonly secrets: RequestSecrets,
    private readonly certificates: OwnCertificates,
    private readonly settings: Settings,
  ) {}

  /**
   * Without a query there is SIOPv2 alone; with one, every generation that can express it.
   * Throws `request-certificate-missing` when the prefix needs a certificate that is not there.
   */
  of(request: AskedTerms, nonce: string | undefined): ChosenVariants {
    const certificate = this.certificates.current('requests', new Date());
    this.assertNamed(request.clientIdPrefix, certificate);
    const variants: VariantTerms[] = [];
    const unavailable: Partial<Record<LinkVariant, string>> = {};
    for (const variant of LINK_VARIANTS) {
      const reason = this.whyUnavailable(request, variant, certificate);
      if (reason === undefined) variants.push({ variant, nonce: nonce ?? this.secrets.newNonce() });
      else unavailable[variant] = reason;
    }
    if (isDigitalMode(request.responseMode)) {
      variants.push({ variant: 'dc-api', nonce: nonce ?? this.secrets.newNonce() });
    }
    const isNamed =
      isByCertificate(request.clientIdPrefix) ||
      variants.some(({ variant }) => variant === 'haip' || variant === 'dc-api');
    return { variants, unavailable, ...(certificate && isNamed && { certificate: certificate.fingerprint }) };
  }

  private assertNamed(prefix: ClientIdPrefix, certificate: CertifiedSigner | undefined): void {
    if (!isByCertificate(prefix)) return;
    if (!certificate) {
      throw new Problem(
        'request-certificate-missing',
        `The prefix ${prefix} needs a valid certificate for requests, and this service has none.`,
      );
    }
    // OpenID4VP 1.0 §5.9.3: wallets compare it with the response URI.
    const host = hostOf(this.settings.applicationUrl);
    if (prefix === 'x509_san_dns' && !certificate.dnsNames.includes(host.toLowerCase())) {
      throw new Problem(
        'request-certificate-missing',
        `The prefix x509_san_dns needs a certificate for requests with the DNS name ${host}; the present one has ` +
          `${certificate.dnsNames.length === 0 ? 'none' : certificate.dnsNames.join(', ')}.`,
      );
    }
  }

  private whyUnavailable(
    request: AskedTerms,
    variant: LinkVariant,
    certificate: CertifiedSigner | undefined,
  ): string | undefined {
    if (!request.query) return variant === 'siopv2' ? undefined : 'the request asks for no credential';
    switch (variant) {
      case 'siopv2':
        return 'the request asks for credentials';
      case 'final':
        return undefined;
      case 'haip':
        return whyNotOfHaip(request.query, request, certificate);
      case 'draft-20-redirect':
        if (request.transactionData) return noTransactions;
        if (isEncryptedMode(request.responseMode)) return 'these wallets do not encrypt their answer';
        if (request.responseType !== 'vp_token') return 'these wallets send no ID Token along with a presentation';
        return this.definitions.whyUnavailable(request, variant);
      case 'draft-20':
        if (request.transactionData) return noTransactions;
        return this.definitions.whyUnavailable(request, variant);
    }
  }
}

// A draft-20 wallet would present without a word about them.
const noTransactions = 'these wallets do not confirm transaction data';

/** HAIP 1.0 §5 and §6: encrypted, by certificate, and with the formats it knows. */
function whyNotOfHaip(
  { credentials }: NonNullable<RequestTerms['query']>,
  { responseMode, responseType }: AskedTerms,
  certificate: CertifiedSigner | undefined,
): string | undefined {
  if (!isEncryptedMode(responseMode))
    return 'these wallets encrypt their answer: responseMode is neither direct_post.jwt nor dc_api.jwt';
  if (responseType !== 'vp_token') return 'these wallets send no ID Token along with a presentation';
  const foreign = credentials.find(({ format }) => !isFormatOfHaip(format));
  if (foreign) return `these wallets do not know the format ${foreign.format} of ${foreign.id}`;
  return certificate ? undefined : 'the service has no valid certificate for requests';
}
