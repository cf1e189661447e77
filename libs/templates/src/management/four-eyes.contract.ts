import { closed, integer, is } from '@app/http';
import { isJsonObject } from '@app/primitives/json';
import type { Violation } from '@app/primitives/problems';
import { mostRows } from '../template/four-eyes';

const isTrue = is.Check('isTrue', 'must be true; leave it out where no approval is needed', (value) => value === true);

/** What a second person has to approve. */
export class FourEyesBody {
  @is.Optional('That a credential is revoked.', isTrue, is.Shown({ const: true }))
  readonly revoke?: true;
  @is.Optional('That the template is published, or changed while it is.', isTrue, is.Shown({ const: true }))
  readonly publish?: true;
  @is.Optional(
    'That an import in which more rows than this are ready is started.',
    is.Check(
      'isRows',
      `must be a whole number from 0 to ${mostRows}`,
      (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostRows,
    ),
    is.Shown({ type: 'integer', minimum: 0, maximum: mostRows }),
  )
  readonly bulkOver?: number;
}

/** A template that a second person publishes is not published by the one who creates it. */
export const rulesOfFourEyes = {
  anyOf: [
    { properties: { status: { const: 'Draft' } } },
    { properties: { fourEyes: { properties: { publish: false } } } },
  ],
};

export function faultsOfFourEyes({
  status,
  fourEyes,
}: {
  readonly status?: unknown;
  readonly fourEyes?: unknown;
}): Violation[] {
  if (status !== 'Published' || !isJsonObject(fourEyes) || fourEyes['publish'] !== true) return [];
  return [{ pointer: '/status', message: 'must be Draft: by fourEyes, a second person approves that it is published' }];
}

export const fourEyesMember = closed({ 'revoke?': { const: true }, 'publish?': { const: true }, 'bulkOver?': integer });

export const isFourEyes = is.Optional(
  'What a second person has to approve: such a request answers 202 with an approval in place of acting. To lift any of it needs an ' +
    'approval as well.',
  is.Nested(() => FourEyesBody),
  is.Shown({ examples: [{ revoke: true, bulkOver: 50 }] }),
);
