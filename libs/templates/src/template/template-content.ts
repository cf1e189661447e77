import { assertDisclosurePointers, ClaimsError, credentialFormat, formats } from '@app/credentials';
import { isJsonObject } from '@app/primitives/json';
import { isCredentialFormat, parseDcqlQuery } from '@app/openid4vc';
import { validationFailed, type Violation } from '@app/primitives/problems';
import { isDeepStrictEqual } from 'node:util';
import { type DataModel, dataModelOf, inApiWords } from '../configuration/credential-configuration';
import { faultsOfPolicy } from '../configuration/disclosure-policy';
import { faultsOfData } from '../data-sources/data-origin';
import { defaultExpiration, expirationText, parseExpiration } from './expiration';
import { fourEyesOf } from './four-eyes';
import { assertUsableSchema } from '../schema/json-schema';
import { propertyOrderOf } from './property-order';
import { parseRetention, retentionText } from './retention';
import { unknownClaim } from '../schema/schema-names';
import type { TemplateContent } from './template';
import type { TemplateChange, TemplateInput } from './template-input';

/** The content of a new template. Throws `invalid-template-schema`. */
export async function newContent(input: TemplateInput): Promise<TemplateContent> {
  await assertUsableSchema(input.schema, credentialFormat(input.format));
  return normalised(input);
}

/** The content after a change. Throws `validation-failed` or `invalid-template-schema`. */
export async function changedContent(
  present: TemplateContent,
  { newType: _ofTheType, ...change }: TemplateChange,
): Promise<TemplateContent> {
  const { expiration, retention, propertyOrder: _ofTheSchema, ...rest } = present;
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const times = { expiration: expirationText(expiration), retention: retentionText(retention) };
  const stored: TemplateInput = { ...inApiWords(rest), ...times };
  const input: TemplateInput = { ...stored, ...given };
  // What was accepted once stays accepted: not every version refuses the same.
  const accepted = faultsOfContent(stored).map(faultText);
  const faults = faultsOfContent(input).filter((fault) => !accepted.includes(faultText(fault)));
  if (faults.length > 0) throw validationFailed(faults);
  const format = credentialFormat(present.format);
  if (change.schema && !isDeepStrictEqual(change.schema, present.schema))
    await assertUsableSchema(change.schema, format);
  return normalised(input);
}

function faultText({ pointer, message }: Violation): string {
  return `${pointer} ${message}`;
}

/**
 * Whether credentials with this content need another hosted type: verifiers that name a type rely on its claims and on which
 * of them a holder may withhold.
 * @param isAsked whether the change asks for one. @throws Problem `validation-failed` when the type is not hosted here
 */
export function needsNewType(present: TemplateContent, content: TemplateContent, isAsked = false): boolean {
  const format = credentialFormat(content.format);
  if (isAsked && !format.isTypeHosted(content)) {
    const message = 'is only for SD-JWT VC templates without a vct of their own; leave it out';
    throw validationFailed([{ pointer: '/newType', message }]);
  }
  return isAsked || !isDeepStrictEqual(claimsAndDisclosure(present), claimsAndDisclosure(content));
}

function claimsAndDisclosure(content: TemplateContent): unknown {
  return [content.schema, credentialFormat(content.format).disclosureOf(content)];
}

/** The content of a copy. */
export function copiedContent(original: TemplateContent, title: string | undefined): TemplateContent {
  const mark = ' (copy)';
  return {
    ...original,
    title:
      title ??
      Array.from(original.title)
        .slice(0, 256 - mark.length)
        .join('') + mark,
  };
}

/**
 * What does not fit together in a template or a provisioned file: members of another format, a data model, pointers of
 * disclosure, where the data comes from.
 */
export function faultsOfContent(input: Partial<Readonly<Record<keyof TemplateInput, unknown>>>): Violation[] {
  if (typeof input.format !== 'string' || !isCredentialFormat(input.format)) return [];
  const format = credentialFormat(input.format);
  const { id, dataModels, givenMembers, impliedDataModel, faultOfType } = format;
  const foreign = formats.flatMap((other) =>
    other.givenMembers
      .filter((member) => isGiven(input[member]) && !givenMembers.includes(member))
      .map((member) => ({ pointer: `/${member}`, message: `belongs to the format ${other.id}` })),
  );
  const { type, selectivelyDisclosable: pointers } = input;
  const dataModel = input.dataModel ?? impliedDataModel(type);
  const ofType = givenMembers.includes('type') ? faultOfType(type, dataModel) : undefined;
  const isKnown = !isGiven(dataModel) || dataModels.includes(dataModel as DataModel);
  const disclosable = givenMembers.includes('selectivelyDisclosable') && Array.isArray(pointers) ? pointers : [];
  return [
    ...foreign,
    ...(isKnown ? [] : [{ pointer: '/dataModel', message: `must be ${dataModels.join(' or ')} for ${id}` }]),
    ...format.faultsOfGiven(input),
    ...(ofType === undefined ? [] : [{ pointer: '/type', message: ofType }]),
    ...disclosable.flatMap((pointer, index) =>
      faultsOfPointer(pointer, `/selectivelyDisclosable/${index}`, { ...input, disclosable }),
    ),
    ...faultsOfPolicy(
      input.disclosurePolicy,
      givenMembers.map((member) => input[member]),
    ),
    ...faultsOfData({ ...input, dataModel }),
  ];
}

function normalised(input: TemplateInput): TemplateContent {
  const { title, description, tags, schema, signingAlgorithm, issuerIdentifier, subject, revocable, scope, display } =
    input;
  const { identification, presentation, data, claims, approval, keyAttestationsRequired, maxCopies, disclosurePolicy } =
    input;
  const format = credentialFormat(input.format);
  const described = format.describe(format.completed(input));
  const retention = parseRetention(input.retention);
  const fourEyes = fourEyesOf(input.fourEyes ?? {});
  const propertyOrder = propertyOrderOf(schema);
  return {
    ...described,
    title,
    tags: tags ?? [],
    dataModel: dataModelOf({ dataModel: input.dataModel, ...described }),
    expiration: parseExpiration(input.expiration) ?? defaultExpiration,
    ...(retention && { retention }),
    schema,
    ...(propertyOrder.length > 0 && { propertyOrder }),
    signingAlgorithm: signingAlgorithm ?? 'ES256',
    ...(isGiven(issuerIdentifier) && { issuerIdentifier }),
    ...(isGiven(subject) && { subject }),
    ...(revocable === true && { revocable }),
    ...(isGiven(scope) && { scope }),
    ...(isGiven(keyAttestationsRequired) && { keyAttestationsRequired }),
    ...(isGiven(maxCopies) && { maxCopies }),
    ...(isGiven(disclosurePolicy) && { disclosurePolicy }),
    ...(isGiven(identification) && { identification }),
    ...(isGiven(presentation) && { presentation: parseDcqlQuery(presentation) }),
    ...(isGiven(data) && { data }),
    ...(isGiven(claims) && { claims }),
    ...(isGiven(approval) && { approval }),
    ...(isGiven(description) && { description }),
    ...(display && { display }),
    ...(isGiven(input.claimLabels) && { claimLabels: input.claimLabels }),
    ...(fourEyes && { fourEyes }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function faultsOfPointer(
  disclosed: unknown,
  pointer: string,
  { schema, disclosable }: { readonly schema?: unknown; readonly disclosable: readonly unknown[] },
): Violation[] {
  if (typeof disclosed !== 'string') return [];
  try {
    assertDisclosurePointers([disclosed]);
  } catch (error) {
    if (error instanceof ClaimsError) return [{ pointer, message: error.message }];
    throw error;
  }
  const unknown = isJsonObject(schema) ? unknownClaim(schema, disclosed, disclosable.filter(isText)) : undefined;
  return unknown ? [{ pointer, message: `leads to no claim of the schema${unknown.question}` }] : [];
}
