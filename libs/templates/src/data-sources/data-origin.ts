import { credentialFormat, type DataModel } from '@app/credentials';
import { currentTenant } from '@app/primitives/context';
import { escapePointer, isJsonObject, type JsonObject, stepsOf } from '@app/primitives/json';
import { type DcqlQuery, isCredentialFormat } from '@app/openid4vc';
import type { Violation } from '@app/primitives/problems';
import { faultsOfPresentation, faultsOfUnasked } from './asked-presentation';
import { type ClaimSources, faultsOfSources, sourcesIn } from './claim-sources';
import { unknownClaim } from '../schema/schema-names';

/** How it becomes known who the person is, when a wallet asks for a credential with an authorization code. */
export const identifications = ['development', 'openid', 'presentation', 'portal'] as const;
export type Identification = (typeof identifications)[number];

/** Where the data of a credential comes from: the portal before, a mapping of what is known of the person, or a call at issue. */
export const dataOrigins = ['provided', 'mapped', 'webhook'] as const;
export type DataOrigin = (typeof dataOrigins)[number];

/** What templates and provisioned files say about where the data comes from. */
export interface DataTerms {
  readonly identification?: Identification;
  /** What the person presents, where that identifies them: one credential. */
  readonly presentation?: DcqlQuery;
  readonly data?: DataOrigin;
  /** Of mapped data. */
  readonly claimSources?: ClaimSources;
  /** Absent: what is there is issued. */
  readonly approval?: 'manual';
}

interface Configured extends DataTerms {
  readonly dataModel: DataModel;
}

type Profile = 'development' | 'production';

/** `development`: nothing is said, and the claims of the development login serve. */
export function dataOriginOf(
  { data, claimSources, dataModel }: Configured,
  profile: Profile,
): DataOrigin | 'development' {
  if (data !== undefined) return data;
  if (claimSources) return 'mapped';
  return profile === 'development' && dataModel !== 'open-badges-3.0' ? 'development' : 'provided';
}

/** Who the person is, unless an offer says it. */
export function identificationOf(configuration: Configured, profile: Profile): Identification {
  const { identification, presentation } = configuration;
  if (identification !== undefined) return identification;
  if (presentation) return 'presentation';
  if (profile === 'development') return 'development';
  return dataOriginOf(configuration, profile) === 'provided' ? 'portal' : 'openid';
}

export const onlyInDevelopment = 'must not be development in production: its form believes anything';

/** Whom the service can ask: nobody where it is empty. */
export interface Askable {
  readonly dataUrl: string;
  readonly openid: { readonly issuer: string };
}

/** Where the data terms need somebody to ask whom the settings do not name: the member, and what to set, if anything. */
export function unmetNeed({ data, identification }: DataTerms, { dataUrl, openid }: Askable): Violation | undefined {
  if (data === 'webhook' && dataUrl === '') {
    const remedy = settable('set SERVICE__IDENTIFICATION__DATA_URL and __DATA_SECRET');
    return { pointer: '/data', message: `webhook needs a server that can be asked: ${remedy}.` };
  }
  if (identification === 'openid' && openid.issuer === '') {
    const remedy = settable('set SERVICE__IDENTIFICATION__OPENID__ISSUER and __CLIENT_ID');
    return { pointer: '/identification', message: `openid needs a login provider: ${remedy}.` };
  }
  return undefined;
}

/** The settings of identification are those of the service alone: what they name is asked for no tenant. */
export function settable(remedy: string): string {
  return currentTenant() === undefined ? remedy : 'tenants have none';
}

/** Whether a wallet may ask for it by itself. */
export function isForWallets(configuration: Configured, profile: Profile): boolean {
  const identification = identificationOf(configuration, profile);
  if (identification === 'portal' || (identification === 'development' && profile === 'production')) return false;
  const origin = dataOriginOf(configuration, profile);
  // Without a login there are no claims of one.
  return origin === 'development' ? identification === 'development' : origin !== 'provided';
}

/** What does not fit together in where a template has its data from. */
export function faultsOfData(given: Readonly<Record<string, unknown>>): Violation[] {
  const { data, claims, identification, presentation, approval, format, dataModel, schema } = given;
  const fault = (member: string, message: string): Violation => ({ pointer: `/${member}`, message });
  const asked = faultsOfAsking(given);
  if (asked.length > 0) return asked;
  const isMapped = data === 'mapped' || (!isGiven(data) && isGiven(claims));
  if (isMapped && !isGiven(claims)) return [fault('claims', 'must say where each claim of mapped data comes from')];
  const faults: Violation[] = [];
  if (isGiven(claims) && !isMapped) faults.push(fault('claims', 'belongs to mapped data'));
  if ((isMapped || data === 'webhook') && dataModel === 'open-badges-3.0') {
    faults.push(fault('data', 'must be provided for an Open Badge: it is more than claims'));
  }
  if (isGiven(approval) && !isMapped && data !== 'webhook') {
    faults.push(fault('approval', 'belongs to mapped data or a webhook: what the portal submits it has approved'));
  }
  if (!isMapped) return faults;
  const ofSources = faultsOfSources(claims);
  if (ofSources.length > 0) return [...faults, ...ofSources];
  const sources = claims as ClaimSources;
  const isLogin = !sourcesIn(sources).has('presentation');
  if (isLogin && isGiven(presentation)) {
    faults.push(
      fault('claims', 'must come from the presentation (presentation:/given_name), which identifies the person'),
    );
  } else if (isLogin && isGiven(identification) && identification !== 'openid' && identification !== 'development') {
    faults.push(fault('identification', 'must be openid or development: the sources of the claims need a login'));
  }
  return [
    ...faults,
    ...faultsByFormat(sources, format),
    ...faultsBySchema(sources, schema),
    ...faultsOfUnasked(sources, presentation),
  ];
}

/** What the person presents, and whether that is what identifies them. */
function faultsOfAsking({ identification, presentation, claims }: Readonly<Record<string, unknown>>): Violation[] {
  if (isGiven(presentation)) {
    const isOther = isGiven(identification) && identification !== 'presentation';
    const message = 'must be presentation or left out: the template says what the person presents';
    return [...faultsOfPresentation(presentation), ...(isOther ? [{ pointer: '/identification', message }] : [])];
  }
  const isMapped = faultsOfSources(claims).length === 0 && sourcesIn(claims as ClaimSources).has('presentation');
  if (identification !== 'presentation' && !isMapped) return [];
  return [{ pointer: '/presentation', message: 'must say what the person presents: a DCQL query for one credential' }];
}

/** Members that the format sets itself. */
function faultsByFormat(sources: ClaimSources, format: unknown): Violation[] {
  if (typeof format !== 'string' || !isCredentialFormat(format)) return [];
  const reserved: readonly string[] = credentialFormat(format).reservedClaims;
  return Object.keys(sources)
    .filter((target) => reserved.includes(stepsOf(target)[0] ?? ''))
    .map((target) => ({
      pointer: `/claims/${escapePointer(target)}`,
      message: `must not give what the service says itself in a credential: ${reserved.join(', ')}`,
    }));
}

/** Claims that the schema does not know, or demands and nothing gives; and claims inside what is no object. */
function faultsBySchema(sources: ClaimSources, schema: unknown): Violation[] {
  if (!isJsonObject(schema)) return [];
  const targets = Object.keys(sources);
  const mapped = new Set(targets.map((target) => stepsOf(target)[0] ?? ''));
  const { required } = schema;
  const demanded = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const missing = demanded.filter((name) => !mapped.has(name));
  return [
    ...missing.map((name) => ({ pointer: '/claims', message: `must give ${name}, which the schema requires` })),
    ...targets.flatMap((target) => faultsOfTarget(target, targets, schema)),
    ...targets
      .filter((target) => isInsideValue(stepsOf(target), schema))
      .map((target) => ({
        pointer: `/claims/${escapePointer(target)}`,
        message: 'lies within a claim that is no object by the schema',
      })),
  ];
}

/** A claim that the schema rules out; where it allows others than it names, one that is a misspelling of one that is not mapped. */
function faultsOfTarget(target: string, targets: readonly string[], schema: JsonObject): Violation[] {
  const unknown = isInsideValue(stepsOf(target), schema) ? undefined : unknownClaim(schema, target, targets);
  if (!unknown) return [];
  const { isRuledOut, question } = unknown;
  const [name = '', ...inside] = stepsOf(target);
  const shown = inside.length === 0 ? name : target;
  const message = `must not give ${shown}, which the schema does not ${isRuledOut ? 'allow' : 'name'}${question}`;
  return [{ pointer: isRuledOut && shown === name ? '/claims' : `/claims/${escapePointer(target)}`, message }];
}

/** Whether the `type` of one of the claims around it leaves no room for members. */
function isInsideValue([step = '', ...inside]: readonly string[], { properties }: JsonObject): boolean {
  const around = isJsonObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
  if (inside.length === 0 || !isJsonObject(around)) return false;
  const { type } = around;
  const isObject = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  return !isObject || isInsideValue(inside, around);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
