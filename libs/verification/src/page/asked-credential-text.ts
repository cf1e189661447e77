import type { AskedCredential, ClaimDescription, ClaimsPath, CredentialDisplay } from '@app/openid4vc';
import { filled, inLanguage, type KnownClaim, type Visit } from '@app/pages';

type Words = Pick<Visit, 'language' | 'texts'>;

/** What this service knows of a credential that is asked for, when it issues it itself. */
export interface KnownCredential {
  readonly display?: readonly CredentialDisplay[];
  readonly claims?: readonly ClaimDescription[];
}

/** The names of claims in OpenID Connect, in the PID of the EUDI wallet and in mobile driving licences. */
const knownClaims = new Map<string, KnownClaim>([
  ['given_name', 'given_name'],
  ['first_name', 'given_name'],
  ['family_name', 'family_name'],
  ['last_name', 'family_name'],
  ['surname', 'family_name'],
  ['name', 'name'],
  ['full_name', 'name'],
  ['birthdate', 'birthdate'],
  ['birth_date', 'birthdate'],
  ['date_of_birth', 'birthdate'],
  ['dob', 'birthdate'],
  ['birthplace', 'birthplace'],
  ['birth_place', 'birthplace'],
  ['place_of_birth', 'birthplace'],
  ['nationality', 'nationality'],
  ['nationalities', 'nationality'],
  ['email', 'email'],
  ['email_address', 'email'],
  ['phone', 'phone'],
  ['phone_number', 'phone'],
  ['mobile_phone_number', 'phone'],
  ['address', 'address'],
  ['resident_address', 'address'],
  ['street', 'street'],
  ['street_address', 'street'],
  ['resident_street', 'street'],
  ['postal_code', 'postal_code'],
  ['resident_postal_code', 'postal_code'],
  ['locality', 'locality'],
  ['city', 'locality'],
  ['resident_city', 'locality'],
  ['country', 'country'],
  ['resident_country', 'country'],
  ['portrait', 'portrait'],
  ['picture', 'portrait'],
  ['photo', 'portrait'],
  ['sex', 'sex'],
  ['gender', 'sex'],
  ['document_number', 'document_number'],
  ['expiry_date', 'expiry_date'],
  ['date_of_expiry', 'expiry_date'],
  ['issuing_authority', 'issuing_authority'],
  ['issuing_country', 'issuing_country'],
  ['issue_date', 'issue_date'],
  ['issuance_date', 'issue_date'],
  ['driving_privileges', 'driving_privileges'],
]);

/** The most types of one credential that are named; further ones are alternatives as well. */
const mostTypes = 3;

/** What a credential is called on the page. */
export function nameOf({ types }: AskedCredential, known: KnownCredential | undefined, words: Words): string {
  const own = inLanguage(known?.display, words.language)?.name;
  if (own !== undefined) return own;
  return types.slice(0, mostTypes).map(typeName).join(' / ') || words.texts.request.anyCredential;
}

/**
 * The claim that a path leads to: its label where this service issues it, else its name in the language of the person.
 * @param above how many steps lead to where claims are
 */
export function claimText(path: ClaimsPath, known: KnownCredential | undefined, words: Words, above = 0): string {
  const named = path.slice(above).filter((step) => step !== null);
  const top = path.slice(0, above + 1);
  const label = known?.claims?.find((claim) => top.every((step, index) => claim.path[index] === step))?.display;
  const own = inLanguage(label, words.language)?.name;
  return named
    .map(
      (step, index) =>
        (index === 0 ? own : undefined) ?? (typeof step === 'number' ? `${step + 1}.` : wordsOf(step, words)),
    )
    .join(': ');
}

function wordsOf(name: string, { texts: { request } }: Words): string {
  const plain = name.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2').toLowerCase();
  const age = /^age_over_(\d+)$/.exec(plain)?.[1];
  if (age !== undefined) return filled(request.ageOver, { age });
  const known = knownClaims.get(plain);
  return known ? request.claims[known] : readable(name);
}

/** A domain name the other way round, and what it names there: `org.iso.18013.5.1.mDL`. */
const documentType = /^[a-z]{2,}(\.[A-Za-z0-9-]+){2,}$/;

/** The part of a type, of a credential or of transaction data, that says what it is: `https://example.com/vct/StudentCard/2` is a student card. */
export function typeName(type: string): string {
  const separator = documentType.test(type) ? '.' : /[/:#]/;
  const parts = type.split(separator).filter((part) => /\p{L}{2}/u.test(part));
  return readable(parts.at(-1) ?? type);
}

/** `studentCard` and `student_card` as `Student card`. */
function readable(name: string): string {
  const spaced = name
    .replace(/([\p{Ll}\d])(\p{Lu}\p{Ll})/gu, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/[_\s-]+/g, ' ')
    .trim();
  return spaced === '' ? name : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
