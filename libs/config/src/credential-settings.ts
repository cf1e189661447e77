import { ArrayUnique, IsArray, IsBoolean, IsIn, IsInt, IsNotEmpty, IsString, Matches, Max, Min } from 'class-validator';
import { type Demand, demands } from './demands';
import { Setting } from './setting';

/** Under what kind of name this service issues credentials: its DID, or its https URL. */
export const issuerIdentifiers = ['did', 'https'] as const;
export type IssuerIdentifier = (typeof issuerIdentifiers)[number];

export class CredentialConfigurationsSettings {
  @Setting({ description: 'Directory of the credential configurations provisioned at start.', kind: 'text' })
  @IsString({ message: 'give the path of a directory' })
  @IsNotEmpty({ message: 'give the path of a directory' })
  readonly path: string = 'config/credential-configurations';
}

/** OpenID4VCI 1.0 §12.2.4: a language has one entry in `display`. */
function languageOf(entry: unknown): unknown {
  return typeof entry === 'string' ? entry.split('=', 1)[0]?.toLowerCase() : entry;
}

export class IssuerSettings {
  @Setting({ description: 'Name of the issuer that wallets show to people.', kind: 'text' })
  @IsString({ message: 'give a text; quote it in YAML' })
  @IsNotEmpty({ message: 'give a name of one character or more' })
  readonly displayName: string = 'Sealwright';

  @Setting({
    description:
      'Comma-separated names of the issuer in other languages, each after its language tag: `de=Musterstadt, fr=Ville de Muster`. A name with a comma needs the settings file.',
    kind: 'list',
  })
  @IsArray({ message: 'separate the names by commas' })
  @Matches(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}=\S[^]*$/, {
    each: true,
    message: 'write each name as language=name, such as de=Musterstadt',
  })
  @ArrayUnique(languageOf, { message: 'give one name for each language' })
  readonly localisedNames: readonly string[] = [];

  @Setting({
    description:
      'The logo on the pages for people and of the issuer in wallets: the path of an .svg, .png, .jpg or .webp file of at most 200,000 bytes, or, as of a tenant always, the name of a picture that was sent to `POST /v0/images`: its `imageId` and ending, such as `….png`. None when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of an image file, or the name of an uploaded picture' })
  readonly logo: string = '';

  @Setting({
    description:
      'Colour of buttons and links on the pages for people, such as `#12107c`. It is darkened on the light page and lightened on the dark one as far as people need to read it (WCAG 2.2, contrast 4.5).',
    kind: 'text',
  })
  @Matches(/^#[0-9a-fA-F]{6}$/, { message: 'give a colour such as #12107c; quote it in YAML' })
  readonly colour: string = '#1d4ed8';

  @Setting({
    description:
      'The `iss` of SD-JWT VCs whose template or file does not set one: `did`, the DID of this service, which most wallets accept, or `https`, its URL. Those that a wallet asks for by authorization code have the URL where a certificate vouches for it. W3C credentials have the DID unless their template or file sets another.',
    kind: 'text',
  })
  @IsIn(issuerIdentifiers, { message: `use one of: ${issuerIdentifiers.join(', ')}` })
  readonly sdJwtIdentifier: IssuerIdentifier = 'did';

  @Setting({
    description:
      'Whether a credential states to the second when it was issued and expires. Otherwise both are cut to the UTC day, the end of a short life to the hour or minute, so that verifiers cannot recognise a credential by them (RFC 9901 §10.1). Several of one request always have cut times.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'write true or false' })
  readonly exactTimes: boolean = false;
}

/** The pages for people; their look is that of the issuer. */
export class PagesSettings {
  @Setting({
    description:
      'Where people get help with the pages: an https URL, an e-mail address, or a phone number such as `+49 30 123456`. Every page shows it. None when empty.',
    kind: 'text',
  })
  @Matches(/^(?:https:\/\/[^\s/@]+(?:\/\S*)?|[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+|\+[\d ()-]*\d)?$/, {
    message: 'give an https URL, an e-mail address, or a phone number that begins with +; quote it in YAML',
  })
  readonly contact: string = '';

  @Setting({
    description:
      'https URL of a page that tells people how to get a wallet, for pages with a link for wallets. When empty, they say what a wallet is and to ask the issuer.',
    kind: 'text',
  })
  @Matches(/^(?:https:\/\/[^\s/@]+(?:\/\S*)?)?$/, { message: 'give an https URL' })
  readonly walletHelp: string = '';
}

export class StatusListsSettings {
  @Setting({
    description:
      'Entries of each status list that is opened from now on, 131072 to 1048576: a power of two. Half of them are used.',
    kind: 'number',
  })
  @IsIn([2 ** 17, 2 ** 18, 2 ** 19, 2 ** 20], { message: 'give 131072, 262144, 524288 or 1048576' })
  readonly entries: number = 2 ** 17;

  @Setting({
    description:
      'Seconds for which verifiers may keep a status list; a change of a status reaches all of them within twice that time. 2 to 86,400.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole seconds' })
  @Min(2, { message: 'give 2 to 86400 seconds' })
  @Max(86_400, { message: 'give 2 to 86400 seconds' })
  readonly ttlSeconds: number = 300;
}

/** Days; see `IssuanceSettings.deferralDays`. */
export const longestDeferralDays = 90;

/** Of one credential: its state names the keys of all of them. */
export const mostCopies = 1000;

export class IssuanceSettings {
  @Setting({
    description:
      'Days for which a wallet can wait for the data of a deferred offer, from its token on; the token of such an offer is valid for one day more. 1 to 90.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(1, { message: `give 1 to ${longestDeferralDays} days` })
  @Max(longestDeferralDays, { message: `give 1 to ${longestDeferralDays} days` })
  readonly deferralDays: number = 30;

  @Setting({
    description:
      'How many copies of one credential a wallet gets over its life, each for another key; `maxCopies` of a template takes precedence. 1 to 1,000.',
    kind: 'number',
  })
  @IsInt({ message: 'give a whole number' })
  @Min(1, { message: `give 1 to ${mostCopies} copies` })
  @Max(mostCopies, { message: `give 1 to ${mostCopies} copies` })
  readonly maxCopies: number = 30;

  @Setting({
    description:
      'Whether wallets get credentials encrypted (OpenID4VCI 1.0 §10): `offered`, where they ask for it, or `required`, where every request must ask for it.',
    kind: 'text',
  })
  @IsIn(demands, { message: `use one of: ${demands.join(', ')}` })
  readonly encryption: Demand = 'offered';
}

const clientIdPrefixes = ['decentralized_identifier', 'x509_hash', 'x509_san_dns', 'redirect_uri'] as const;
/** The links of a request for credentials, as portals know them. */
const shownVariants = ['1.0', 'haip', 'draft-20', 'draft-20-redirect'] as const;
const undeterminedStatuses = ['reject', 'accept'] as const;
type UndeterminedStatus = (typeof undeterminedStatuses)[number];

export class VerificationSettings {
  @Setting({
    description:
      'Comma-separated issuers whose credentials are accepted: a DID or https URL, optionally followed by the credential types it is trusted for, separated by spaces. This service is always trusted; in development, so is every issuer whose keys can be found.',
    kind: 'list',
  })
  @IsArray({ message: 'separate the issuers by commas' })
  @Matches(/^(did:[a-z0-9]+:|https:\/\/)\S+( +\S+)*$/, {
    each: true,
    message: 'begin each entry with a DID or an https URL',
  })
  readonly trustedIssuers: readonly string[] = [];

  @Setting({
    description:
      '`reject` or `accept`: what becomes of a presented credential, or of an attestation of keys or of a wallet, whose issuer gave it a status that cannot be determined, because its status list cannot be fetched, is not signed by the issuer or has expired. Suspended and revoked credentials are always rejected.',
    kind: 'text',
    defaultNote: '`reject` in production, `accept` in development',
  })
  @IsIn(undeterminedStatuses, { message: `use one of: ${undeterminedStatuses.join(', ')}` })
  readonly undeterminedStatus: UndeterminedStatus = 'reject';

  @Setting({
    description:
      'How requests to wallets of OpenID4VP 1.0 name this service when they do not say it (`clientIdPrefix`): `decentralized_identifier`, or `x509_hash` or `x509_san_dns` with a certificate for requests, or `redirect_uri` without a signature.',
    kind: 'text',
  })
  @IsIn(clientIdPrefixes, { message: `use one of: ${clientIdPrefixes.join(', ')}` })
  readonly clientIdPrefix: (typeof clientIdPrefixes)[number] = 'decentralized_identifier';

  @Setting({
    description:
      'For which generation of wallets is the one link of a request that `authorizationRequest`, the text answer and the QR code show: `1.0`, `haip`, `draft-20`, or `draft-20-redirect` for the wallets on impierce/openid4vc. A request that has no such link shows its newest one.',
    kind: 'text',
  })
  @IsIn(shownVariants, { message: `use one of: ${shownVariants.join(', ')}` })
  readonly shownVariant: (typeof shownVariants)[number] = '1.0';

  @Setting({
    description:
      'JSON file with what others attest about this verifier, a registration certificate for one: an array of `{"format", "data"}` that goes as `verifier_info` into every request for credentials (OpenID4VP 1.0). Read at the start. None when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a file' })
  readonly verifierInfoFile: string = '';
}

const overaskings = ['refuse', 'warn', 'off'] as const;
const registrationEncodings = ['compact', 'base64url'] as const;

/** Registration of this service as a relying party, and as an issuer (ETSI TS 119 475). */
export class RegistrationSettings {
  @Setting({
    description:
      'Directory of registration certificates: one in each `NAME.jwt`, as the registrar handed it out. They are checked against trust anchors with the purpose `registrar` and the own access certificate, and sent to wallets. Changes take effect without a restart. None when empty; others can be given by `POST /v0/registration_certificates`.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a directory' })
  readonly directory: string = '';

  @Setting({
    description:
      'What becomes of a request for credentials that asks for more than any registration certificate lists: `refuse` it, `warn` whoever made it, or `off`, do not compare. Nothing is compared while there is no certificate that lists credentials.',
    kind: 'text',
  })
  @IsIn(overaskings, { message: `use one of: ${overaskings.join(', ')}` })
  readonly overasking: (typeof overaskings)[number] = 'refuse';

  @Setting({
    description:
      'How a registration certificate is written for wallets: `compact`, the JWT itself, which wallets of today read, or `base64url` of it, as ETSI TS 119 472-2 is read by some.',
    kind: 'text',
  })
  @IsIn(registrationEncodings, { message: `use one of: ${registrationEncodings.join(', ')}` })
  readonly encoding: (typeof registrationEncodings)[number] = 'compact';

  @Setting({
    description:
      'Whether wallets get what a registration certificate says beside it once more, in the words of the registry (`registrar_dataset`), so that they can ask the registry itself. Only where the certificate names its registry.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'write true or false' })
  readonly dataset: boolean = false;
}

export class TrustSettings {
  @Setting({
    description:
      'Directory of the certificate authorities that are trusted: `NAME.pem` files, each with an optional `NAME.yaml` that says what it vouches for (`purposes`, `types`, `name`, `list`, `until`, `signsDocuments`); issuers of ISO 18013-5 documents (mdoc) need one with the purpose `document`. Changes take effect without a restart. None when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a directory' })
  readonly anchors: string = '';

  @Setting({
    description:
      'Comma-separated lists of trusted entities (ETSI TS 119 602, JSON) whose certificate authorities are trusted: the URL of the list, the path of a PEM file with the certificate that signs it, and optionally the credential types it is trusted for, separated by spaces. Each is fetched every hour; the last good one is used until it expires.',
    kind: 'list',
  })
  @IsArray({ message: 'separate the lists by commas' })
  @Matches(/^https?:\/\/\S+ +\S+( +\S+)*$/, {
    each: true,
    message: 'write each entry as URL, space and the path of the PEM file with its signer',
  })
  readonly lists: readonly string[] = [];
}

export class OutboundSettings {
  @Setting({
    description:
      'Comma-separated hosts, `host` or `host:port`, that outgoing requests may reach at private addresses and over http.',
    kind: 'list',
  })
  @IsArray({ message: 'separate the hosts by commas' })
  @Matches(/^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[1-9]\d{0,4})?$/i, {
    each: true,
    message: 'write each entry as host or host:port, without scheme and path',
  })
  readonly allowPrivateHosts: readonly string[] = [];
}

export class WebhooksSettings {
  @Setting({
    description:
      'Days for which deliveries to webhooks are kept, and for which events can be sent again; housekeeping removes older ones. Events wait that long for a webhook that is paused. 1 to 365.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(1, { message: 'give 1 to 365 days' })
  @Max(365, { message: 'give 1 to 365 days' })
  readonly retentionDays: number = 30;
}

export class ImportsSettings {
  @Setting({
    description:
      'Days for which files with the data of many persons, and what became of their rows, are kept; then they are erased. 1 to 90.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(1, { message: 'give 1 to 90 days' })
  @Max(90, { message: 'give 1 to 90 days' })
  readonly retentionDays: number = 7;
}
