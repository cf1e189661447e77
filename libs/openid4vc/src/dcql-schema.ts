import { formats } from './formats/registry';

const text = { type: 'string', minLength: 1 };
const flag = { type: 'boolean' };
const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$' };
const listOf = (items: object) => ({ type: 'array', minItems: 1, items });
const closed = (properties: Readonly<Record<string, object>>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** The members of a query, as JSON Schema for documents; `parseDcqlQuery` judges more. */
export const dcqlQuerySchema = closed(
  {
    credentials: listOf(
      closed(
        {
          id,
          format: text,
          meta: closed(Object.assign({}, ...formats.map(({ metaSchema }) => metaSchema)) as Record<string, object>, []),
          multiple: flag,
          require_cryptographic_holder_binding: flag,
          trusted_authorities: listOf(
            closed({ type: { enum: ['aki', 'etsi_tl'] }, values: listOf(text) }, ['type', 'values']),
          ),
          claims: listOf(
            closed(
              {
                id,
                path: listOf({ type: ['string', 'integer', 'null'] }),
                values: listOf({ type: ['string', 'integer', 'boolean'] }),
              },
              ['path'],
            ),
          ),
          claim_sets: listOf(listOf(id)),
        },
        ['id', 'format', 'meta'],
      ),
    ),
    credential_sets: listOf(closed({ options: listOf(listOf(id)), required: flag, purpose: {} }, ['options'])),
  },
  ['credentials'],
);
