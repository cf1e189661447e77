import type { Settings } from './settings';
import type { SettingsFault } from './settings-error';

interface StrictSetting {
  readonly name: string;
  /** The first is in force where none is given. */
  readonly allowed: readonly [string, ...string[]];
  readonly valueIn: (settings: Settings) => string;
}

/** What SERVICE__HAIP demands of other settings. */
export const strictSettings: readonly StrictSetting[] = [
  {
    name: 'SERVICE__AUTHORIZATION__CLIENTS',
    allowed: ['attested', 'registered'],
    valueIn: ({ authorization }) => authorization.clients,
  },
  {
    name: 'SERVICE__AUTHORIZATION__ATTESTATION_CHALLENGE',
    allowed: ['required'],
    valueIn: ({ authorization }) => authorization.attestationChallenge,
  },
  {
    name: 'SERVICE__AUTHORIZATION__ATTESTATION_STATUS',
    allowed: ['when-present', 'required'],
    valueIn: ({ authorization }) => authorization.attestationStatus,
  },
  {
    name: 'SERVICE__AUTHORIZATION__SENDER_CONSTRAINED',
    allowed: ['always'],
    valueIn: ({ authorization }) => authorization.senderConstrained,
  },
  {
    name: 'SERVICE__AUTHORIZATION__DPOP_NONCE',
    allowed: ['required'],
    valueIn: ({ authorization }) => authorization.dpopNonce,
  },
  {
    name: 'SERVICE__ISSUER__SD_JWT_IDENTIFIER',
    allowed: ['https'],
    valueIn: ({ issuer }) => issuer.sdJwtIdentifier,
  },
  {
    name: 'SERVICE__VERIFICATION__CLIENT_ID_PREFIX',
    allowed: ['x509_hash'],
    valueIn: ({ verification }) => verification.clientIdPrefix,
  },
  {
    name: 'SERVICE__VERIFICATION__UNDETERMINED_STATUS',
    allowed: ['reject'],
    valueIn: ({ verification }) => verification.undeterminedStatus,
  },
];

/** What a service has that SERVICE__HAIP asks for, beside its settings. */
interface HighAssuranceMeans {
  /** The uses for which it has a certificate. */
  readonly certificates: readonly string[];
  /** Whether a certificate authority may vouch for wallets. */
  readonly trustsWalletProvider: boolean;
  /** Whether one may vouch for issuers, whose credentials then show who somebody is. */
  readonly trustsIssuer: boolean;
}

/** What SERVICE__HAIP asks for and is missing; nothing without it. */
export function missingForHighAssurance(
  settings: Pick<Settings, 'haip' | 'profile' | 'identification' | 'verification'>,
  { certificates, trustsWalletProvider, trustsIssuer }: HighAssuranceMeans,
): SettingsFault[] {
  if (!settings.haip) return [];
  const missing = (found: string, remedy: string): SettingsFault => ({ name: 'SERVICE__HAIP', found, remedy });
  return [
    ...['credentials', 'requests']
      .filter((use) => !certificates.includes(use))
      .map((use) =>
        missing(
          `no certificate for ${use}`,
          `run "sealwright certificates request --use ${use}", have it signed, and install the chain`,
        ),
      ),
    ...(trustsWalletProvider
      ? []
      : [
          missing(
            'no certificate authority that vouches for wallets',
            'put that of a wallet provider into the directory of SERVICE__TRUST__ANCHORS, with the purpose wallet-provider',
          ),
        ]),
    ...(canIdentify(settings, trustsIssuer)
      ? []
      : [
          missing(
            'no way to find out who people are',
            'give SERVICE__IDENTIFICATION__OPENID__ISSUER for logins, or trust those whose credentials people present: SERVICE__TRUST__ANCHORS, with the purpose issuer, or SERVICE__VERIFICATION__TRUSTED_ISSUERS',
          ),
        ]),
  ];
}

/** Whether people can be identified without a portal: by a login, or by what they present. @param trustsIssuer by an authority */
export function canIdentify(
  { profile, identification, verification }: Pick<Settings, 'profile' | 'identification' | 'verification'>,
  trustsIssuer: boolean,
): boolean {
  // Development has a login of its own.
  if (profile === 'development' || identification.openid.issuer !== '') return true;
  return trustsIssuer || verification.trustedIssuers.length > 0;
}
