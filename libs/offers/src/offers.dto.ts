import { IsAddressable, IsOmissible } from '@app/http';
import { Problem } from '@app/problem-details';
import { isDuration, lastsAtMost } from '@app/time';
import { Allow, IsBoolean, IsString, Length } from 'class-validator';
import { longestLifetimeDays } from './offer-lifetime';
import type { TransactionCodeOptions } from './offer-secrets';

export class OpenOfferBody {
  @IsOmissible()
  @IsString()
  @Length(1, 256)
  @IsAddressable()
  readonly offerId?: string;

  // Has an error of its own instead of validation-failed, see templateIdsOf.
  @Allow()
  readonly templateIds?: unknown;

  /** `true`, or how the code should look. */
  @Allow()
  readonly txCode?: unknown;

  @Allow()
  readonly expiresIn?: unknown;

  /** For everybody, again and again; only for templates whose every schema leaf is `const`. */
  @IsOmissible()
  @IsBoolean()
  readonly public?: boolean;
}

/** Both as when an offer is created. */
export class ReopenOfferBody {
  @Allow()
  readonly txCode?: unknown;

  @Allow()
  readonly expiresIn?: unknown;
}

export class SendOfferBody {
  /** Where the wallet of the person waits for the offer. */
  @IsString()
  @Length(1, 2048)
  readonly targetUrl!: string;
}

/** The templates to offer; none when only an offer id was given. Throws `missing-template-ids`. */
export function templateIdsOf({ offerId, templateIds }: OpenOfferBody): string[] {
  if (templateIds === undefined && offerId !== undefined) return [];
  const valid =
    Array.isArray(templateIds) &&
    templateIds.length > 0 &&
    templateIds.every((id): id is string => typeof id === 'string' && id !== '');
  if (!valid) {
    throw new Problem('missing-template-ids', 'templateIds must be a non-empty array of non-empty strings.');
  }
  return templateIds;
}

/** ISO 8601, at most 90 days. Throws `validation-failed`. */
export function lifetimeOf({ expiresIn }: Pick<OpenOfferBody, 'expiresIn'>): string | undefined {
  if (expiresIn === undefined) return undefined;
  if (isDuration(expiresIn) && lastsAtMost(expiresIn, longestLifetimeDays)) return expiresIn;
  throw fault(
    '/expiresIn',
    `must be an ISO 8601 duration of at most ${longestLifetimeDays} days (a month counts 31), for example PT24H or P90D`,
  );
}

/** Throws `validation-failed` for what cannot be public. */
export function isPublicOffer(body: OpenOfferBody): boolean {
  if (body.public !== true) return false;
  if (body.txCode !== undefined && body.txCode !== false) {
    throw fault('/txCode', 'must not be asked for a public offer: nobody would know it');
  }
  if (body.templateIds === undefined) throw fault('/public', 'needs templateIds');
  return true;
}

/** Where a wallet waits. Throws `validation-failed`. */
export function targetOf({ targetUrl }: SendOfferBody): URL {
  if (URL.canParse(targetUrl)) return new URL(targetUrl);
  throw fault('/targetUrl', 'must be an absolute URL');
}

/** The wish for a transaction code: six digits unless told. Throws `validation-failed`. */
export function transactionCodeOf({ txCode }: Pick<OpenOfferBody, 'txCode'>): TransactionCodeOptions | undefined {
  if (txCode === undefined || txCode === false) return undefined;
  if (txCode === true) return { inputMode: 'numeric', length: 6 };
  if (typeof txCode !== 'object' || txCode === null || Array.isArray(txCode)) {
    throw fault('/txCode', 'must be true or an object with length, inputMode and description');
  }
  const { length = 6, inputMode = 'numeric', description, ...others } = txCode as Record<string, unknown>;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw fault(`/txCode/${unknown}`, 'This member is not known here.');
  if (typeof length !== 'number' || !Number.isInteger(length) || length < 4 || length > 16) {
    throw fault('/txCode/length', 'must be a whole number from 4 to 16');
  }
  if (inputMode !== 'numeric' && inputMode !== 'text') throw fault('/txCode/inputMode', 'must be numeric or text');
  if (description === undefined) return { inputMode, length };
  // OpenID4VCI 1.0 §4.1.1: not more than 300 characters.
  if (typeof description !== 'string' || description.length > 300) {
    throw fault('/txCode/description', 'must be a string of at most 300 characters');
  }
  return { inputMode, length, description };
}

/** The wish for a new transaction code; without one the present code stays. Throws `validation-failed`. */
export function newTransactionCodeOf({ txCode }: ReopenOfferBody): TransactionCodeOptions | undefined {
  if (txCode !== false) return transactionCodeOf({ txCode });
  throw fault('/txCode', 'must be true or an object; leave it out to keep the present transaction code');
}

function fault(pointer: string, message: string): Problem {
  return new Problem('validation-failed', `The body has a fault: ${pointer} ${message}.`, [{ pointer, message }]);
}
