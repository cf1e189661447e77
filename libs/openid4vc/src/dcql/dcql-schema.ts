import { LONGEST_PATH, MOST_CLAIM_SETS, MOST_CLAIMS, MOST_VALUES } from './dcql-claims-query';
import { MOST_CREDENTIALS, MOST_OPTIONS, MOST_SETS } from './dcql-query';
import { ID_PATTERN, LONGEST_TEXT, UNSAFE_KEYS } from './dcql-reader';
import { AUTHORITY_VALUES, MOST_AUTHORITIES, MOST_AUTHORITY_VALUES } from './dcql-trusted-authorities';
import { wireFormats } from '../formats/registry';

const text = { type: 'string', minLength: 1, maxLength: LONGEST_TEXT };
const flag = { type: 'boolean' };
/** Of a credential or a claim. */
export const dcqlIdSchema = { type: 'string', pattern: ID_PATTERN, not: { enum: UNSAFE_KEYS } };
const listOf = (items: object, maxItems: number) => ({ type: 'array', minItems: 1, maxItems, items });
const closed = (properties: Readonly<Record<string, object>>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const given = (name: string, schema: object) => ({ required: [name], properties: { [name]: schema } });
/** What a member has to be, by the value of another one. */
const byValue = (name: string, values: readonly string[], member: string, schema: object) => ({
  if: given(name, { enum: values }),
  then: { properties: { [member]: schema } },
});

/** Members of a claims query that one format alone has. */
const claimFlags = [...new Set(wireFormats.flatMap(({ claims }) => claims?.flags ?? []))];

const claim = closed(
  {
    id: dcqlIdSchema,
    path: listOf(
      {
        type: ['string', 'integer', 'null'],
        maxLength: LONGEST_TEXT,
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
      },
      LONGEST_PATH,
    ),
    values: listOf(
      {
        type: ['string', 'integer', 'boolean'],
        maxLength: LONGEST_TEXT,
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      },
      MOST_VALUES,
    ),
    ...Object.fromEntries(claimFlags.map((name) => [name, flag])),
  },
  ['path'],
);

const trustedAuthority = {
  ...closed({ type: { enum: Object.keys(AUTHORITY_VALUES) }, values: listOf(text, MOST_AUTHORITY_VALUES) }, [
    'type',
    'values',
  ]),
  allOf: Object.entries(AUTHORITY_VALUES).map(([type, { pattern }]) =>
    byValue('type', [type], 'values', { items: { pattern, ...(type !== 'aki' && { format: 'uri' }) } }),
  ),
};

const credential = {
  ...closed(
    {
      id: dcqlIdSchema,
      format: { enum: wireFormats.flatMap(({ names }) => names) },
      meta: closed(Object.assign({}, ...wireFormats.map(({ metaSchema }) => metaSchema)) as Record<string, object>, []),
      multiple: flag,
      require_cryptographic_holder_binding: flag,
      trusted_authorities: listOf(trustedAuthority, MOST_AUTHORITIES),
      claims: listOf(claim, MOST_CLAIMS),
      claim_sets: listOf(listOf(dcqlIdSchema, MOST_CLAIMS), MOST_CLAIM_SETS),
    },
    ['id', 'format', 'meta'],
  ),
  allOf: wireFormats.flatMap(({ names, metaSchema, claims, isAlwaysBound }) => [
    byValue('format', names, 'meta', closed(metaSchema, Object.keys(metaSchema))),
    byValue('format', names, 'claims', {
      items: {
        properties: {
          ...(claims && { path: claims.pathSchema }),
          ...Object.fromEntries(
            claimFlags.filter((name) => !claims?.flags.includes(name)).map((name) => [name, false]),
          ),
        },
      },
    }),
    ...(isAlwaysBound ? [byValue('format', names, 'require_cryptographic_holder_binding', { const: true })] : []),
  ]),
  dependentSchemas: { claim_sets: given('claims', { items: { required: ['id'] } }) },
};

const idLists = listOf(listOf(dcqlIdSchema, MOST_CREDENTIALS), MOST_OPTIONS);

/** The members of a query, as JSON Schema for documents; `parseDcqlQuery` judges more: which ids there are. */
export const dcqlQuerySchema = closed(
  {
    credentials: listOf(credential, MOST_CREDENTIALS),
    credential_sets: listOf(closed({ options: idLists, required: flag, purpose: {} }, ['options']), MOST_SETS),
  },
  ['credentials'],
);
