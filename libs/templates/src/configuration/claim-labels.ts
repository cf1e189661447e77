import { is, text } from '@app/http';
import { escapePointer, hasAtMost, isJsonObject } from '@app/primitives/json';
import type { ClaimDescription } from '@app/openid4vc';

/** What claims are called, by their JSON Pointers, in languages by their tags: `{ "/given_name": { "de": "Vorname" } }`. */
export type ClaimLabels = Readonly<Record<string, Readonly<Record<string, string>>>>;

const pointerPattern = '^(/([^~/]|~[01])*)+$';
const tagPattern = '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,5}$';
const [pointerForm, tagForm] = [new RegExp(pointerPattern), new RegExp(tagPattern)];
const [mostClaims, mostLanguages, longest] = [500, 30, 256];

function areLabels(value: unknown): boolean {
  const claims = isJsonObject(value) ? Object.entries(value) : [];
  return (
    claims.length > 0 &&
    claims.length <= mostClaims &&
    claims.every(([pointer, labels]) => {
      const all = isJsonObject(labels) ? Object.entries(labels) : [];
      return (
        pointerForm.test(pointer) &&
        all.length > 0 &&
        all.length <= mostLanguages &&
        all.every(
          ([tag, label]) => tagForm.test(tag) && typeof label === 'string' && label !== '' && hasAtMost(label, longest),
        )
      );
    })
  );
}

export const isClaimLabels = is.Optional(
  'What claims are called in which languages, by JSON Pointer, beside the `title` of each in the schema.',
  is.Check('areLabels', 'must be a JSON object such as { "/given_name": { "de": "Vorname" } }', areLabels),
  is.Shown({
    type: 'object',
    minProperties: 1,
    maxProperties: mostClaims,
    propertyNames: { pattern: pointerPattern },
    additionalProperties: {
      type: 'object',
      minProperties: 1,
      maxProperties: mostLanguages,
      propertyNames: { pattern: tagPattern },
      additionalProperties: { ...text, minLength: 1, maxLength: longest },
    },
    examples: [{ '/given_name': { en: 'Given name', de: 'Vorname' } }],
  }),
);

export const claimLabelsMember = {
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: text },
} as const;

/** The claims with their labels in languages behind the one of all. */
export function labelled(claims: readonly ClaimDescription[], labels: ClaimLabels = {}): readonly ClaimDescription[] {
  return claims.map((claim) => {
    const own = Object.entries(labels[claim.path.map((step) => `/${escapePointer(String(step))}`).join('')] ?? {});
    const named = own.map(([locale, name]) => ({ name, locale }));
    return named.length === 0 ? claim : { ...claim, display: [...(claim.display ?? []), ...named] };
  });
}
