import type { VerifierInfo } from '@app/openid4vc';
import type { LocalText, RegistrationCertificate } from './registration-certificate';

/** By the first letters of an identifier (EN 319 412-1): its type in the registry (ETSI TS 119 475, table 2). */
const identifierTypes: Readonly<Record<string, string>> = {
  EOR: 'EORI-No',
  EXC: 'Excise',
  LEI: 'LEI',
  NTR: 'EUID',
  TIN: 'TIN',
  VAT: 'VATIN',
};

/**
 * What a certificate says in the words of the registry, for wallets that ask the registry itself: ETSI TS 119 472-2 §6.3 in requests,
 * TS 119 472-3 §4.2.3 in metadata. Undefined when the certificate does not name its registry.
 * @param use 'issuer': with what may be issued
 */
export function registrarDataset(
  certificate: RegistrationCertificate,
  use: 'verifier' | 'issuer',
): VerifierInfo | undefined {
  const { subject, description, registryUri, intendedUseId, purpose, policyUri, attestations } = certificate;
  if (registryUri === undefined) return undefined;
  const type = identifierTypes[subject.slice(0, 3)];
  const data = {
    identifier: [{ ...(type !== undefined && { type: `http://data.europa.eu/eudi/id/${type}` }), identifier: subject }],
    srvDescription: asContent(description),
    registryURI: registryUri,
    ...(use === 'verifier'
      ? {
          ...(intendedUseId !== undefined && { intendedUseIdentifier: intendedUseId }),
          purpose: asContent(purpose),
          ...(policyUri !== undefined && { policyURI: policyUri }),
        }
      : {
          providesAttestations: attestations.flatMap(({ format, types }) =>
            types.flatMap((names) => names.map((name) => ({ format, type: name }))),
          ),
        }),
  };
  return { format: 'registrar_dataset', data };
}

/** Registries have `content` where certificates have `value`. */
function asContent(texts: readonly LocalText[]): { readonly lang: string; readonly content: string }[] {
  return texts.map(({ lang, value }) => ({ lang, content: value }));
}
