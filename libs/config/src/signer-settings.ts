import { IsIn, IsInt, IsString, IsUrl, Matches, Max, Min, ValidateIf } from 'class-validator';
import { NamedSections, Setting } from './setting';

/** What is signed. */
export const signerUses = ['credentials', 'requests', 'status', 'metadata'] as const;
export type SignerUse = (typeof signerUses)[number];

/** Keys in the database, which this process signs with. */
export const localSigner = 'local';

/** What a signer of a type is told, beside `type` and `concurrency`. */
export const signerMembers = {
  pkcs11: { needed: ['library', 'tokenLabel', 'pinFile'], possible: ['tokenSerial'] },
  vault: { needed: ['url', 'tokenFile'], possible: ['mount', 'namespace'] },
  aws: { needed: ['region', 'accessKeyIdFile', 'secretAccessKeyFile'], possible: ['url', 'sessionTokenFile'] },
  azure: { needed: ['url', 'tokenFile'], possible: [] },
  google: { needed: ['keyRing', 'tokenFile'], possible: ['url'] },
  http: { needed: ['url'], possible: ['tokenFile', 'certificateFile', 'keyFile'] },
} as const satisfies Record<string, Record<'needed' | 'possible', readonly SignerMember[]>>;

export type SignerMember = keyof SignerProvider;
export type SignerType = keyof typeof signerMembers;
const signerTypes = Object.keys(signerMembers) as SignerType[];
const verifications = ['always', 'sampled'] as const;

const file = { message: 'give the path of a file' };
const text = { message: 'give a text; quote it in YAML' };
const isGiven = (_: object, value: unknown): boolean => value !== '';

/** Everything that a signer may be told; which of it is up to its type. */
export class SignerProvider {
  @Setting({
    description:
      'Where keys are that never enter this process: `pkcs11`, a hardware module; `vault`, the engine Transit of Vault or OpenBao; `aws`, `azure`, `google`, their key services; `http`, a server that speaks the protocol of this service. `{NAME}` is any name of letters and digits but `local`; there may be several.',
    kind: 'text',
    defaultNote: 'required',
  })
  @IsIn(signerTypes, { message: `use one of: ${signerTypes.join(', ')}` })
  readonly type: SignerType | '' = '';

  @Setting({
    description:
      'How many signatures may be under way at once. With `pkcs11` each has a session and takes one of the threads of Node.js, of which there are four unless `UV_THREADPOOL_SIZE` says otherwise.',
    kind: 'number',
    defaultNote: '`4` with `pkcs11`, else `16`',
  })
  @IsInt({ message: 'give a whole number' })
  @Min(1, { message: 'give 1 to 256' })
  @Max(256, { message: 'give 1 to 256' })
  readonly concurrency: number = 16;

  @Setting({
    description:
      'Address of `vault`, `azure` (the vault) or `http`; for `aws` and `google` where it is not the usual one. `https`; `http` for this machine alone.',
    kind: 'text',
    defaultNote: 'required with `vault`, `azure`, `http`',
  })
  @ValidateIf(isGiven)
  @IsUrl(
    {
      require_tld: false,
      protocols: ['https', 'http'],
      require_protocol: true,
      disallow_auth: true,
      allow_query_components: false,
      allow_fragments: false,
    },
    { message: 'give an https URL without user, query and fragment' },
  )
  readonly url: string = '';

  @Setting({
    description:
      'File with the token for `vault`, `azure`, `google` (bearer) or `http` (bearer). It is read anew, so that another process can replace it.',
    kind: 'text',
    defaultNote: 'required with `vault`, `azure`, `google`',
  })
  @IsString(file)
  readonly tokenFile: string = '';

  @Setting({ description: 'Where the engine Transit is mounted in `vault`.', kind: 'text' })
  @Matches(/^[\w.-]+(\/[\w.-]+)*$/, { message: 'give a path such as transit, without a slash at its ends' })
  readonly mount: string = 'transit';

  @Setting({ description: 'Namespace of `vault`. None when empty.', kind: 'text' })
  @ValidateIf(isGiven)
  @Matches(/^[\w.-]+(\/[\w.-]+)*\/?$/, { message: 'give a path such as team/credentials' })
  readonly namespace: string = '';

  @Setting({
    description: 'Region of `aws`, such as `eu-central-1`.',
    kind: 'text',
    defaultNote: 'required with `aws`',
  })
  @ValidateIf(isGiven)
  @Matches(/^[a-z]+(-[a-z0-9]+)+$/, { message: 'give a region such as eu-central-1' })
  readonly region: string = '';

  @Setting({
    description: 'File with the id of the access key for `aws`.',
    kind: 'text',
    defaultNote: 'required with `aws`',
  })
  @IsString(file)
  readonly accessKeyIdFile: string = '';

  @Setting({
    description: 'File with the secret of the access key for `aws`.',
    kind: 'text',
    defaultNote: 'required with `aws`',
  })
  @IsString(file)
  readonly secretAccessKeyFile: string = '';

  @Setting({
    description: 'File with the session token for `aws`, where the access key is a temporary one. None when empty.',
    kind: 'text',
  })
  @IsString(file)
  readonly sessionTokenFile: string = '';

  @Setting({
    description: 'Key ring of `google`: `projects/<project>/locations/<location>/keyRings/<name>`.',
    kind: 'text',
    defaultNote: 'required with `google`',
  })
  @ValidateIf(isGiven)
  @Matches(/^projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+$/, {
    message: 'give projects/<project>/locations/<location>/keyRings/<name>',
  })
  readonly keyRing: string = '';

  @Setting({
    description:
      'PEM file with the certificate, and what lies between it and the root, by which this service authenticates at `http`. None when empty.',
    kind: 'text',
  })
  @IsString(file)
  readonly certificateFile: string = '';

  @Setting({ description: 'PEM file with the private key of that certificate.', kind: 'text' })
  @IsString(file)
  readonly keyFile: string = '';

  @Setting({
    description: 'The PKCS#11 module of the maker, a shared library, for `pkcs11`: `/usr/lib/softhsm/libsofthsm2.so`.',
    kind: 'text',
    defaultNote: 'required with `pkcs11`',
  })
  @ValidateIf(isGiven)
  @Matches(/^\//, { message: 'give the whole path of the library' })
  readonly library: string = '';

  @Setting({
    description: 'Label of the token for `pkcs11`: slots change their numbers.',
    kind: 'text',
    defaultNote: 'required with `pkcs11`',
  })
  @IsString(text)
  readonly tokenLabel: string = '';

  @Setting({
    description: 'Serial number of the token for `pkcs11`, where several have the label. Any when empty.',
    kind: 'text',
  })
  @IsString(text)
  readonly tokenSerial: string = '';

  @Setting({
    description:
      'File with the PIN of the user of the token for `pkcs11`. A wrong one is tried once, and the last try before the token locks is never used.',
    kind: 'text',
    defaultNote: 'required with `pkcs11`',
  })
  @IsString(file)
  readonly pinFile: string = '';
}

type MemberOf<T extends SignerType> = (typeof signerMembers)[T]['needed' | 'possible'][number];

/** A signer outside of this process, with what its type takes; what was not given is empty. */
export type SignerProviderSettings = {
  [T in SignerType]: { readonly type: T } & Pick<SignerProvider, 'concurrency' | MemberOf<T>>;
}[SignerType];

const nobodyElse = `\`${localSigner}\`, the keys in the database, or the name of a signer outside of this process.`;

/** Who signs what. */
export class SignerSettings {
  /** By name, in lower case. */
  @NamedSections(() => SignerProvider)
  readonly providers: ReadonlyMap<string, SignerProviderSettings> = new Map();

  @Setting({ description: `Who signs credentials: ${nobodyElse}`, kind: 'text' })
  @IsString(text)
  readonly forCredentials: string = localSigner;

  @Setting({
    description: `Who signs authorization requests in the name of the DID, and makes the keys of certificates for requests: ${nobodyElse}`,
    kind: 'text',
  })
  @IsString(text)
  readonly forRequests: string = localSigner;

  @Setting({ description: `Who signs status lists: ${nobodyElse}`, kind: 'text' })
  @IsString(text)
  readonly forStatus: string = localSigner;

  @Setting({ description: `Who signs metadata of the issuer: ${nobodyElse}`, kind: 'text' })
  @IsString(text)
  readonly forMetadata: string = localSigner;

  @Setting({
    description:
      'Which signatures from outside of this process are verified before they are used: `always`, all of them, or `sampled`, the first of each key and one in a thousand.',
    kind: 'text',
  })
  @IsIn(verifications, { message: `use one of: ${verifications.join(', ')}` })
  readonly verify: (typeof verifications)[number] = 'sampled';

  /** The name of a signer, or `local`, by what it signs. */
  get for(): Readonly<Record<SignerUse, string>> {
    const { forCredentials, forRequests, forStatus, forMetadata } = this;
    const names = {
      credentials: forCredentials,
      requests: forRequests,
      status: forStatus,
      metadata: forMetadata,
    };
    return Object.fromEntries(Object.entries(names).map(([use, name]) => [use, name.toLowerCase()])) as typeof names;
  }
}

export const signerNameRemedy = `name the signer by letters and digits, and not ${localSigner}`;

/** All that a signer of the type takes. */
export function membersOfSigner(type: SignerType): readonly SignerMember[] {
  const { needed, possible } = signerMembers[type];
  return ['type', 'concurrency', ...needed, ...possible];
}

/** Whether a signer may be called so, in lower case. */
export function isSignerName(name: string): boolean {
  return /^[a-z0-9]+$/.test(name) && name !== localSigner;
}
