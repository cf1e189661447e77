import { type ClaimDescription, type ConfigurationMembers, type CredentialDisplay } from '../configuration-members';

export interface CredentialType extends Pick<ConfigurationMembers, 'display' | 'claims'> {
  /** The https URL this document is served at; must equal the `vct` of the credentials. */
  readonly vct: string;
  /** JSON Pointers of the claims that are selectively disclosable; absent means every top-level claim. */
  readonly selectivelyDisclosable?: readonly string[];
}

/** What every credential has, or may have, beside the claims of the person; whether it has others depends on the wallet or portal. */
const frame: readonly ClaimDescription[] = [
  { path: ['iss'], mandatory: true },
  { path: ['vct'], mandatory: true },
  { path: ['iat'], mandatory: true },
  ...['exp', 'cnf', 'status', 'jti'].map((name) => ({ path: [name] })),
];

/**
 * SD-JWT VC type metadata of one version of a template, with every claim that is known of its credentials. Such a document never changes once credentials name it.
 * Locales are written as `locale` and, for verifiers from before draft 12, as `lang`.
 */
export function renderTypeMetadata(type: CredentialType): Record<string, unknown> {
  const { vct, display = [], claims = [] } = type;
  const main = display[0];
  const localised = display.flatMap(renderDisplay);
  const named = new Set(claims.map(({ path }) => path[0]));
  const ofFrame = frame.filter(({ path }) => !named.has(path[0]));
  return {
    vct,
    ...(main === undefined ? {} : { name: main.name }),
    ...(main?.description === undefined ? {} : { description: main.description }),
    ...(localised.length === 0 ? {} : { display: localised }),
    claims: [
      ...claims.map((claim) => renderClaim(claim, type)),
      ...ofFrame.map((claim) => renderClaim(claim, { ...type, selectivelyDisclosable: [] })),
    ],
  };
}

// A locale is required here though optional in issuer metadata; an entry without one still names the type above.
function renderDisplay({ locale, name, description, logo, ...colours }: CredentialDisplay): object[] {
  if (locale === undefined) return [];
  const simple = {
    ...(logo === undefined ? {} : { logo }),
    ...(colours.background_color === undefined ? {} : { background_color: colours.background_color }),
    ...(colours.background_image === undefined ? {} : { background_image: colours.background_image }),
    ...(colours.text_color === undefined ? {} : { text_color: colours.text_color }),
  };
  return [
    {
      locale,
      lang: locale,
      name,
      ...(description === undefined ? {} : { description }),
      ...(Object.keys(simple).length === 0 ? {} : { rendering: { simple } }),
    },
  ];
}

function renderClaim(claim: ClaimDescription, { selectivelyDisclosable }: CredentialType): object {
  const display = (claim.display ?? []).flatMap(({ name, locale }) =>
    locale === undefined ? [] : [{ locale, lang: locale, label: name }],
  );
  const disclosable = selectivelyDisclosable?.includes(jsonPointer(claim.path)) ?? claim.path.length === 1;
  return {
    path: claim.path,
    ...(display.length === 0 ? {} : { display }),
    ...(claim.mandatory === undefined ? {} : { mandatory: claim.mandatory }),
    sd: disclosable ? 'always' : 'never',
  };
}

function jsonPointer(path: ClaimDescription['path']): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
