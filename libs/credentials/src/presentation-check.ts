import { CborError } from '@app/primitives/cbor';
import { JwsError, PublicJwkError } from '@app/primitives/jose';
import { StrictJsonError } from '@app/primitives/json';
import { DidError } from './issuers/did';

/**
 * What a presentation is checked for, by the names that a result shows. A list holds the names that
 * apply to its format, in the order in which they were checked.
 *
 * - `structure`: sizes, encoding, JSON or CBOR, header types and algorithms, required members, members that repeat each other.
 * - `nonce`: the presentation was made for this request. `audience`: it was made for this verifier.
 * - `issuer-trusted`: the issuer is trusted for this type of credential.
 * - `issuer-key`: a key of the issuer was found. `issuer-signature`: the credential is signed with it.
 * - `disclosures`: what was disclosed is what the issuer signed, each claim once, nothing put in its place.
 * - `times`: the credential (or the ID Token) is valid now.
 * - `key-binding`: the presentation is signed with the key it claims to come from, just now, over just this content.
 * - `transaction-data`: the presentation confirms transaction data of the request, and nothing else.
 * - `holder-binding`: that key belongs to the holder to whom the credential was issued.
 * - `status`: the issuer has neither revoked nor suspended the credential.
 * - `query`: the credential answers the query.
 * - `trusted-authorities`: an authority that the query names vouches for its issuer.
 */
export type CheckName =
  | 'structure'
  | 'nonce'
  | 'audience'
  | 'issuer-trusted'
  | 'issuer-key'
  | 'issuer-signature'
  | 'disclosures'
  | 'times'
  | 'key-binding'
  | 'transaction-data'
  | 'holder-binding'
  | 'status'
  | 'query'
  | 'trusted-authorities';

/** `reason` is ASCII and holds nothing of the presentation: why a check failed or was skipped, or a remark. */
export type PresentationCheck = {
  readonly name: CheckName;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly reason?: string;
};

/** After the first failed check the others are skipped, and nothing of the presentation is released. */
export type CheckedResult<Released> =
  | ({ readonly verified: true; readonly checks: readonly PresentationCheck[] } & Released)
  | {
      readonly verified: false;
      readonly checks: readonly PresentationCheck[];
      readonly failure: { readonly check: CheckName; readonly reason: string; readonly status?: RefusedStatus };
    };

/**
 * The status for which a credential is rejected. `undetermined`: no sound statement of the issuer could be had, or one of
 * unknown meaning.
 */
export const refusedStatuses = ['suspended', 'revoked', 'undetermined'] as const;
export type RefusedStatus = (typeof refusedStatuses)[number];

/** Ends the check under way as failed; the message is the reason. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
}

/** Ends the check `status`. */
export class StatusRefusal extends Refusal {
  override readonly name = 'StatusRefusal';

  constructor(
    readonly status: RefusedStatus,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/** Throws a `Refusal` unless the condition holds. */
export function demand(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new Refusal(reason);
}

/** Does one check; answers its result or throws what made it fail. */
export type RunCheck = <Result>(name: CheckName, work: () => Result | Promise<Result>) => Promise<Result>;

/**
 * Runs checks in the order of `names` and makes the result. `body` calls `run` for each check that applies; a name it
 * passes over is listed as skipped because it was not asked for. Errors that are no refusals pass through.
 */
export async function runChecks<Released extends object>(
  names: readonly CheckName[],
  body: (run: RunCheck, remark: (name: CheckName, text: string) => void) => Promise<Released>,
): Promise<CheckedResult<Released>> {
  const passed = new Set<CheckName>();
  const remarks = new Map<CheckName, string>();
  let running: CheckName | undefined;
  const run: RunCheck = async (name, work) => {
    running = name;
    const result = await work();
    passed.add(name);
    running = undefined;
    return result;
  };
  const list = (skipped: string): PresentationCheck[] =>
    names.map((name) => {
      if (!passed.has(name)) return { name, outcome: 'skipped', reason: remarks.get(name) ?? skipped };
      const reason = remarks.get(name);
      return { name, outcome: 'passed', ...(reason !== undefined && { reason }) };
    });
  try {
    const released = await body(run, (name, text) => remarks.set(name, text));
    return { verified: true, checks: list('the request does not ask for it'), ...released };
  } catch (error) {
    const reason = refusalReason(error);
    const check = running;
    if (reason === undefined || check === undefined) throw error;
    const checks = list('an earlier check failed').map((entry): PresentationCheck =>
      entry.name === check ? { name: check, outcome: 'failed', reason } : entry,
    );
    const status = error instanceof StatusRefusal ? { status: error.status } : {};
    return { verified: false, checks, failure: { check, reason, ...status } };
  }
}

/** The errors of this library that mean wrong input; their messages hold nothing of the input. */
export function refusalReason(error: unknown): string | undefined {
  const kinds = [Refusal, JwsError, CborError, DidError, PublicJwkError, StrictJsonError];
  return error instanceof Error && kinds.some((kind) => error instanceof kind) ? error.message : undefined;
}
