import type { CredentialConfiguration, CredentialFormatId } from '@app/openid4vc';
import type { Buildable, CredentialFormat, SecurityObjectSigner, UnsignedContent } from './credential-format';
import type { GivenW3cType, JwtVcJsonDescription } from './jwt-vc-json/description';
import { jwtVcJson } from './jwt-vc-json/jwt-vc-json';
import type { GivenMdocType, MdocDescription } from './mdoc/description';
import { mdoc } from './mdoc/mdoc';
import type { GivenSdJwtVcType, SdJwtVcDescription } from './sd-jwt-vc/description';
import type { FetchForVerifier } from '../issuers/jwt-vc-issuer';
import type { TypeInheritance } from '../presentation/type-inheritance';
import { TypeMetadata } from './sd-jwt-vc/type-metadata';
import { sdJwtVc } from './sd-jwt-vc/sd-jwt-vc';

/** What a template or a file says of the type of its credentials; each member belongs to one format. */
export type GivenType = GivenW3cType & GivenSdJwtVcType & GivenMdocType;

/** The type of its credentials, as templates store it. */
export type DescribedType = JwtVcJsonDescription | SdJwtVcDescription | MdocDescription;

const known = [jwtVcJson, sdJwtVc, mdoc] as const;

/** What the claims of a credential are shaped after. */
export type DataModel = (typeof known)[number]['dataModels'][number];

type AnyFormat = CredentialFormat<CredentialConfiguration, GivenType, DescribedType> & {
  readonly dataModels: readonly [DataModel, ...DataModel[]];
};

/** Every format, in the order in which documents list them. */
export const formats: readonly AnyFormat[] = known;
export const dataModels: readonly DataModel[] = known.flatMap(({ dataModels }) => dataModels);

/** What a credential or a presentation is that has the mark of no format: a plain JWT. */
export const unmarkedFormat: AnyFormat = jwtVcJson;

const byId = new Map(formats.map((format) => [format.id, format]));

/** @throws TypeError for the id of a format that only a newer version knows. */
export function credentialFormat(id: CredentialFormatId): AnyFormat {
  const format = byId.get(id);
  if (format === undefined) throw new TypeError(`The credential format ${id} is not known to this version`);
  return format;
}

/** Refuses what cannot be issued before a wallet asks for it. Throws `ClaimsError`. */
export function assertIssuable(
  content: UnsignedContent,
  configuration: Buildable<CredentialConfiguration>,
  signer?: SecurityObjectSigner,
): void {
  credentialFormat(configuration.format).assertIssuable(content, configuration, signer);
}

/** What the types of credentials extend. @param isOwn whether an address of a type is one of ours, which extend none */
export function typeInheritance(
  fetchDocument: FetchForVerifier,
  isOwn?: (address: string) => boolean,
): TypeInheritance {
  return new TypeMetadata(fetchDocument, isOwn);
}
