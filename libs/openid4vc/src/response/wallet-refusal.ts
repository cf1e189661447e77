import { type OAuthError } from '../wire/oauth-error';
import { type WalletGeneration } from '../credential/request-class';

/** Where wallets are refused what concerns one offer or one authorization request. */
export const refusingEndpoints = [
  'offer',
  'authorization',
  'token',
  'credential',
  'deferred-credential',
  'notification',
  'response',
] as const;

/** Why a wallet was refused and how often, in words of ours: nothing that it sent is in it. */
export interface WalletRefusal {
  readonly endpoint: (typeof refusingEndpoints)[number];
  /** The `error` that the wallet got. */
  readonly error: string;
  /** The same word as in logs and metrics. */
  readonly reason: string;
  /** The `error_description` that the wallet got, with `...` for what it quoted of the request. */
  readonly description: string;
  readonly generation?: WalletGeneration;
  /** As in docs/wallet-generations.md. */
  readonly requestClass?: string;
  /** Of the credential that the wallet asked for, where it was offered. */
  readonly configurationId?: string;
  readonly count: number;
  /** RFC 3339, by the database's clock. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** What a stream knows of the refusals it records: how often each kind was recorded. */
export type RecordedRefusals = Readonly<Record<string, number>>;

export type RefusedStep = Omit<WalletRefusal, 'count' | 'firstAt' | 'lastAt'>;

/** Wallets may repeat a request indefinitely, so a stream records this many kinds of refusals, and each this often. */
const mostKinds = 16;
const mostRecords = 8;

/** What is kept of an error that a wallet gets. */
export function refusalOf(
  { code, reason, words }: OAuthError,
  about: Pick<RefusedStep, 'endpoint' | 'generation' | 'requestClass' | 'configurationId'>,
): RefusedStep {
  return { ...about, error: code ?? 'no-token', reason, description: words };
}

export function kindOfRefusal({ endpoint, error, reason, requestClass, configurationId }: RefusedStep): string {
  return [endpoint, error, reason, requestClass ?? '', configurationId ?? ''].join(' ');
}

/** Whether a stream still records a refusal of this kind. */
export function isRecordable(recorded: RecordedRefusals = {}, refusal: RefusedStep): boolean {
  const kind = kindOfRefusal(refusal);
  const times = Object.hasOwn(recorded, kind) ? (recorded[kind] ?? 0) : 0;
  return times === 0 ? Object.keys(recorded).length < mostKinds : times < mostRecords;
}

export function withRefusal(recorded: RecordedRefusals = {}, refusal: RefusedStep): RecordedRefusals {
  const kind = kindOfRefusal(refusal);
  return { ...recorded, [kind]: (Object.hasOwn(recorded, kind) ? (recorded[kind] ?? 0) : 0) + 1 };
}
