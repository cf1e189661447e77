import { CheckCredential, type CredentialInput, FindByReferences, PreparationLimits } from '@app/issuance';
import { FindOfferLinks } from '@app/offers';
import { inLanes } from '@app/primitives/awaitable';
import { type IssuableConfiguration } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { credentialIdOf } from '../import';
import { type RowFault, type RowSubmission, submissionOf } from '../mapping/submission';
import { constantsOf, targetsOf } from '../mapping/targets';
import type { Cell } from '../reading/table';
import type { ImportColumns, ImportSeal, RowContent } from './import-seals';
import type { RowResult, RowState, StoredRow } from './import-rows';

/** Rows that are checked at the same time. */
const lanes = 8;
const place = '/credential/credentialSubject';
/** Beyond these nobody corrects a row by reading on. */
const mostFaults = 20;

/** What rows are checked by. */
export interface CheckPlan {
  readonly importId: string;
  readonly configuration: IssuableConfiguration;
  readonly columns: ImportColumns;
  readonly seal: ImportSeal;
}

/** Checks rows as `POST /v0/credentials` would, and stores nothing. */
@Injectable()
export class RowChecks {
  constructor(private readonly queries: QueryBus) {}

  /** In their order. Throws what is not about a row. */
  async check(rows: readonly StoredRow[], plan: CheckPlan): Promise<readonly RowResult[]> {
    const read = rows.map((row) => ({ row, ...this.read(row, plan) }));
    const known = await this.knownAs(
      read.map(({ row, submission }) => ({ row: row.row, reference: submission.reference })),
      plan,
    );
    const results: RowResult[] = [];
    await inLanes(read.entries(), lanes, async ([at, { row, cells, submission }]) => {
      const faults = await this.faultsIn(submission, row.row, plan);
      const state = faults.length > 0 ? 'faulty' : (known.get(row.row) ?? 'ready');
      results[at] = resultOf(row, state, { cells, ...(faults.length > 0 && { faults }) }, submission, plan.seal);
    });
    return results;
  }

  /** What a row says. */
  read(row: StoredRow, { columns, configuration, seal }: CheckPlan) {
    const { cells = [] } = seal.openRow(row.row, row.sealed);
    const terms = { mapping: columns, targets: targetsOf(configuration), constants: constantsOf(configuration) };
    return { cells, submission: submissionOf(cells, terms) };
  }

  /** Rows that credentials of the same template and reference exist for, by row. */
  async knownAs(
    rows: readonly { readonly row: number; readonly reference: string | undefined }[],
    { importId, configuration }: CheckPlan,
  ): Promise<ReadonlyMap<number, RowState>> {
    const references = [...new Set(rows.flatMap(({ reference }) => reference ?? []))];
    const states = new Map<number, RowState>();
    if (references.length === 0) return states;
    const found = await this.queries.execute(new FindByReferences(references));
    if (found.size === 0) return states;
    for (const { row, reference } of rows) {
      const same = (reference === undefined ? undefined : found.get(reference)) ?? [];
      const others = same.filter(
        (one) => one.templateId === configuration.templateId && one.credentialId !== credentialIdOf(importId, row),
      );
      if (others.some(isIssued)) states.set(row, 'already-issued');
      else if (others.length > 0 && (await this.isOffered(others))) states.set(row, 'already-offered');
    }
    return states;
  }

  private async isOffered(credentials: readonly FoundCredential[]): Promise<boolean> {
    if (credentials.some(({ status }) => status === 'Requested')) return true;
    const waiting = credentials.flatMap(({ status, offerId }) => (status === 'Prepared' ? (offerId ?? []) : []));
    const offers = await this.queries.execute(new FindOfferLinks(waiting));
    return offers.some((offer) => offer?.isOpen === true);
  }

  private async faultsIn(submission: RowSubmission, row: number, plan: CheckPlan): Promise<readonly RowFault[]> {
    if (submission.faults.length > 0) return submission.faults;
    const input = rowInputOf(plan.importId, row, submission, plan.configuration);
    const violations = await this.queries.execute(new CheckCredential(input, new PreparationLimits()));
    const { columns } = plan.columns;
    return violations.slice(0, mostFaults).map(({ pointer, message }) => {
      const to = pointer === '/expiresAt' ? 'expiresAt' : pointer.startsWith(place) ? pointer.slice(place.length) : '';
      const column = columnFor(to, columns);
      return { ...(column >= 0 && { column: column + 1 }), ...(to !== '' && { to }), message };
    });
  }
}

interface FoundCredential {
  readonly status: string;
  readonly offerId?: string | undefined;
  readonly validity?: unknown;
}

function isIssued(credential: FoundCredential): boolean {
  return ['Issued', 'Accepted'].includes(credential.status) && credential.validity !== 'Revoked';
}

/** That of the claim, or of the one that it is in. */
function columnFor(to: string, columns: ImportColumns['columns']): number {
  const exact = columns.indexOf(to);
  return exact >= 0 || to === '' ? exact : columns.findIndex((one) => one !== null && to.startsWith(`${one}/`));
}

/** What is submitted for a row. */
export function rowInputOf(
  importId: string,
  row: number,
  { claims, reference, expiresAt, email, name }: RowSubmission,
  { id, templateId }: IssuableConfiguration,
): CredentialInput {
  const credentialId = credentialIdOf(importId, row);
  const recipient = { ...(email !== undefined && { email }), ...(name !== undefined && { name }) };
  return {
    place: { offerId: credentialId, credentialId, ...(Object.keys(recipient).length > 0 && { recipient }) },
    named: templateId === undefined ? { configurationId: id } : { templateId, configurationId: id },
    credential: { credentialSubject: claims },
    isSubjectAlone: true,
    expiresAt: expiresAt === undefined || expiresAt === 'never' ? expiresAt : dateOf(expiresAt),
    reference,
  };
}

function dateOf(text: string): Date | 'not-a-date' {
  const date = new Date(text);
  return /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(date.getTime()) ? date : 'not-a-date';
}

/** @param content what is kept of the row */
export function resultOf(
  { row, version }: Pick<StoredRow, 'row' | 'version'>,
  state: RowState,
  content: RowContent,
  { claims, reference }: RowSubmission,
  seal: ImportSeal,
): RowResult {
  const plain = reference?.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
  const same = seal.nameOf(plain === undefined ? `claims ${JSON.stringify(claims)}` : `reference ${plain}`);
  return { row, version, state, same, sealed: seal.sealRow(row, content) };
}

/** A fault in words: the row, the column, and what is to be there. */
export function faultText(row: number, { column, to, message }: RowFault, headers: readonly string[]): string {
  const header = column === undefined ? undefined : headers[column - 1];
  const place = header === undefined ? (to === undefined ? '' : `, ${to}`) : `, column “${header}”`;
  return `Row ${row}${place}: ${message}`;
}

/** The cells with some of them changed. @param changes by the place of the column, from 1 */
export function corrected(cells: readonly Cell[], changes: ReadonlyMap<number, string>): Cell[] {
  const length = Math.max(cells.length, ...changes.keys());
  return Array.from({ length }, (_, index) => changes.get(index + 1) ?? cells[index] ?? '');
}
