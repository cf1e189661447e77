import { canonicalJson } from '@app/primitives/json';
import { createHash } from 'node:crypto';
import { parsePositions, renderPositions, type Run } from '../subscriptions/positions';
import { instant } from '../database/sql-instant';
import type { CommitPosition } from '../subscriptions/subscription-position';

/** What a checkpoint says: the payload of a compact JWS. */
export interface CheckpointContent {
  /** Counted from 1. */
  readonly number: number;
  /** By the database's clock. */
  readonly takenAt: string;
  /** SHA-256 of the checkpoint before it, as it was signed, in base64url; null for the first. */
  readonly previous: string | null;
  /** Which events it covers, as runs of the column `position`. Copies of a database keep it; transaction ids change. */
  readonly positions: string;
  /** How many events it covers. */
  readonly events: number;
  /** How many of them carry no proof. */
  readonly unproven: number;
  /** How many events this checkpoint and all before it cover. */
  readonly total: number;
  /** SHA-256 over the lines of its events by position, in base64url. */
  readonly digest: string;
  /** The last event, in commit order, that was read for it: the next checkpoint begins behind it. */
  readonly reached?: CommitPosition;
  /** How far events had been read before it, if that was further than the checkpoint before it covers. */
  readonly ahead?: CommitPosition | undefined;
}

/** Signs checkpoints. */
export interface CheckpointSigner {
  /** Compact JWS. */
  sign(content: CheckpointContent): string;
}

/** Reads checkpoints. */
export interface CheckpointReader {
  /** The payload of what a key of this service has signed; `undefined` of anything else. */
  read(signed: string): unknown;
}

/** An event as checkpoints cover it. */
export interface CoveredEvent {
  readonly tx: string;
  readonly position: number;
  readonly stream_id: string;
  readonly version: number;
  /** UTC, in microseconds. */
  readonly instant: string;
  readonly proof: Buffer | null;
  /** Of events without a proof only. */
  readonly type: string | null;
  readonly data: unknown;
  readonly metadata: unknown;
}

const whole = (column: string): string => `case when proof is null then ${column} end as ${column}`;

/** Columns of a `CoveredEvent`. A position stays below 2^53 for as long as a computer writes. */
export const coveredColumns = `tx::text, position::float8, stream_id, version, ${instant('recorded_at')} as instant, proof,
  ${['type', 'data', 'metadata'].map(whole).join(', ')}`;

/** The line of an event: its proof stands for its content where it has one. */
export function lineOf({ position, stream_id, version, instant: at, proof, ...content }: CoveredEvent): string {
  const { type, data, metadata } = content;
  const mark = proof?.toString('base64url') ?? sha256(canonicalJson([type, data, metadata]));
  return JSON.stringify([position, stream_id, version, at, mark]);
}

/** @param lines of events by position */
export function digestOf(lines: ReadonlyMap<number, string>): string {
  const sorted = [...lines.keys()].sort((one, other) => one - other);
  return sha256(sorted.map((position) => `${lines.get(position) ?? ''}\n`).join(''));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The next checkpoint, of events that no other covers. @param lines of its events by position */
export function nextCheckpoint(
  lines: ReadonlyMap<number, string>,
  about: Required<Pick<CheckpointContent, 'unproven' | 'reached' | 'ahead'>> & { readonly takenAt: Date },
  before: { readonly content: CheckpointContent; readonly signed: string } | undefined,
): CheckpointContent {
  const positions = [...lines.keys()].sort((one, other) => one - other);
  return {
    number: (before?.content.number ?? 0) + 1,
    takenAt: about.takenAt.toISOString(),
    previous: before === undefined ? null : sha256(before.signed),
    positions: renderPositions(positions),
    events: lines.size,
    unproven: about.unproven,
    total: (before?.content.total ?? 0) + lines.size,
    digest: digestOf(lines),
    reached: about.reached,
    ...(about.ahead && { ahead: about.ahead }),
  };
}

/** The content and what it covers; `undefined` of what this release does not write. */
export function parseCheckpoint(
  payload: unknown,
): { readonly content: CheckpointContent; readonly runs: readonly Run[] } | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const content = payload as Partial<Record<keyof CheckpointContent, unknown>>;
  const counts = [content.number, content.events, content.unproven, content.total];
  const texts = [content.takenAt, content.positions, content.digest, content.previous ?? ''];
  if (!counts.every(Number.isSafeInteger) || !texts.every((text) => typeof text === 'string')) return undefined;
  if (![content.reached, content.ahead].every((at) => at === undefined || isPosition(at))) return undefined;
  try {
    return { content: payload as CheckpointContent, runs: parsePositions(String(content.positions)) };
  } catch {
    return undefined;
  }
}

function isPosition(value: unknown): value is CommitPosition {
  if (typeof value !== 'object' || value === null) return false;
  const { tx, position } = value as Partial<Record<keyof CommitPosition, unknown>>;
  return [tx, position].every((text) => typeof text === 'string' && /^\d{1,20}$/.test(text));
}
