import {
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { IsProviderUrl } from './base-url';
import { Section, Setting } from './setting';

export const loginAuthentications = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
/** Symmetric ones need a secret that two know, so that neither can prove what the other said. */
const loginAlgorithms = [
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
  ...(['PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'] as const),
] as const;

/** The OpenID provider at which people log in. */
export class OpenIdSettings {
  @Setting({
    description:
      'Issuer of the OpenID provider at which people log in for credentials whose templates or offers say `identification: openid`, such as `https://login.example.edu`. It is read when the first person logs in, not at the start. None when empty.',
    kind: 'text',
  })
  @ValidateIf(({ issuer }: OpenIdSettings) => issuer !== '')
  @IsProviderUrl()
  readonly issuer: string = '';

  @Setting({ description: 'Client id that this service has at the provider.', kind: 'text' })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly clientId: string = '';

  @Setting({
    description:
      'Client secret at the provider. Without one, and without `private_key_jwt`, the service is a public client, protected by PKCE.',
    kind: 'text',
    secret: true,
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly clientSecret: string = '';

  @Setting({
    description:
      'How the service authenticates at the provider: with the secret by `client_secret_basic` or `client_secret_post`, or by `private_key_jwt`, with its key for ES256. Give the provider `/authorize/login/jwks.json` below `SERVICE__APPLICATION_URL` as the address of its keys.',
    kind: 'text',
  })
  @IsIn(loginAuthentications, { message: `use ${loginAuthentications.join(', ')}` })
  readonly authentication: (typeof loginAuthentications)[number] = 'client_secret_basic';

  @Setting({
    description:
      'Whether access tokens of the provider are bound to a key by DPoP (RFC 9449). A provider that answers with another kind of token is then refused.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'give true or false' })
  readonly dpop: boolean = false;

  @Setting({
    description: 'Algorithm of the signature of ID tokens; one that the provider names in its metadata when empty.',
    kind: 'text',
  })
  @IsIn(['', ...loginAlgorithms], { message: `use ${loginAlgorithms.join(', ')}, or leave it empty` })
  readonly idTokenSignedResponseAlg: '' | (typeof loginAlgorithms)[number] = '';

  @Setting({
    description:
      'Whether ID tokens that are not encrypted are refused. Encrypted ones are read in any case: by ECDH-ES, with or without key wrapping, to the key at `/authorize/login/jwks.json`.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'give true or false' })
  readonly idTokenEncrypted: boolean = false;

  @Setting({
    description:
      'Whether the provider is asked at its UserInfo endpoint what else it knows of the person. Claims then come from both, and of one thing the ID token is believed. When false, the ID token alone says who somebody is, and the access token is used for nothing.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'give true or false' })
  readonly userinfo: boolean = true;

  @Setting({
    description: 'Algorithm of the signature of UserInfo. When empty, UserInfo need not be signed.',
    kind: 'text',
  })
  @IsIn(['', ...loginAlgorithms], { message: `use ${loginAlgorithms.join(', ')}, or leave it empty` })
  readonly userinfoSignedResponseAlg: '' | (typeof loginAlgorithms)[number] = '';

  @Setting({
    description: 'Whether UserInfo that is not encrypted is refused. It is signed as well, before it is encrypted.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'give true or false' })
  readonly userinfoEncrypted: boolean = false;

  @Setting({ description: 'Scopes that are asked of the provider, separated by blanks; with `openid`.', kind: 'text' })
  @Matches(/^(?=(?:.* )?openid(?: |$))[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/, {
    message: 'give scopes separated by single blanks, openid among them',
  })
  readonly scope: string = 'openid profile';

  @Setting({
    description:
      'Comma-separated authentication context classes (`acr`). A login under another one is refused. Any when empty.',
    kind: 'list',
  })
  @IsArray({ message: 'separate the classes by commas' })
  @Matches(/^[\x21-\x7E]+$/, { each: true, message: 'give each class without blanks' })
  @ArrayUnique({ message: 'give each class once' })
  readonly acrValues: readonly string[] = [];

  @Setting({
    description: 'How many seconds ago a person may have logged in at the provider. Any time when 0.',
    kind: 'number',
  })
  @IsInt({ message: 'give a whole number of seconds' })
  @Min(0, { message: 'give 0 or more' })
  @Max(31_622_400, { message: 'give at most 31622400, a year' })
  readonly maxAge: number = 0;

  @Setting({
    description:
      'What the provider is asked to do before it says who somebody is (`prompt`): `login`, to ask everyone to log in, for computers that several people use, or `select_account`, to ask as whom. When empty it may go on with whoever is logged in; a page then still leads to another login.',
    kind: 'text',
  })
  @IsIn(['', 'login', 'select_account'], { message: 'use login or select_account, or leave it empty' })
  readonly prompt: '' | 'login' | 'select_account' = '';
}

/** Who the persons are, and where the data of their credentials comes from. */
export class IdentificationSettings {
  @Section(() => OpenIdSettings)
  readonly openid: OpenIdSettings = new OpenIdSettings();

  @Setting({
    description:
      'URL that is asked for the data of a credential whose template says `data: webhook`, when a wallet requests it: a POST, signed as webhooks are. None when empty.',
    kind: 'text',
  })
  @ValidateIf(({ dataUrl }: IdentificationSettings) => dataUrl !== '')
  @IsUrl({ require_tld: false, protocols: ['https', 'http'], require_protocol: true }, { message: 'give an https URL' })
  readonly dataUrl: string = '';

  @Setting({
    description:
      'Secret that signs these requests: `whsec_` and the base64 of 24 to 64 random bytes, such as the output of `echo "whsec_$(openssl rand -base64 32)"`.',
    kind: 'text',
    secret: true,
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  @ValidateIf(({ dataSecret }: IdentificationSettings) => dataSecret !== '')
  @Matches(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, { message: 'give whsec_ and the base64 of 24 to 64 bytes' })
  readonly dataSecret: string = '';
}
